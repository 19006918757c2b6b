// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { BlobStore } from '@writ/blobs';
import { subjectsOf, type Caller } from '@writ/contract';
import { AnthropicModel, GeminiModel, OpenAiModel } from '@writ/model-http';
import { provideBy, provideClass, provideValue, Repeated, type ProcessContext } from '@writ/nest-kit';
import { KernelClient } from '../calls/kernel/kernel-client.ts';
import { Offers } from '../calls/kernel/offers.ts';
import { OperationWatch } from '../calls/operation-watch.ts';
import { Propose } from '../calls/propose.ts';
import { ProposeInOrder } from '../calls/propose-in-order.ts';
import { ShowOperation } from '../calls/show-operation.ts';
import { PersonLinks } from '../edge/access/oauth/person-links.ts';
import { RateLimit } from '../edge/access/rate-limit.ts';
import { WorkerTasks } from '../edge/work/worker-tasks.ts';
import { Jobs, JobWork } from '../store/jobs/jobs.ts';
import { RegisteredLifetime } from '../store/registered-lifetime.ts';
import { SessionTexts } from '../store/session-rows/session-texts.ts';
import { RunWork, Sessions } from '../store/session-rows/sessions.ts';
import { CallServices, drivePartsOf } from './driving/drive-parts.ts';
import { DriveRuns } from './driving/drive-runs.ts';
import { ChangeJobs } from './jobs/change-jobs.ts';
import { StartJobs } from './jobs/start-jobs.ts';
import { Models } from './models/models.ts';
import type { ConfiguredModel } from './models/models-file.ts';
import { BeginErasure } from './conversations/begin-erasure.ts';
import { ChangeSessions } from './conversations/change-sessions.ts';
import { EraseTexts } from './conversations/erase-texts.ts';
import { RunHub } from './conversations/run-hub.ts';
import { RunNewsController } from './conversations/run-news.controller.ts';
import { RunTurn } from './turns/run-turn.ts';
import { ShowPrompt } from './turns/show-prompt.ts';
import { StagedChanges } from './turns/staged-changes.ts';
import { StagedTokens } from './turns/staged-token.ts';
import { TurnSubAgents } from './turns/turn-sub-agents.ts';

/**
 * How often due runs are claimed and leases renewed, in milliseconds. These are the longest delays before a run begins,
 * and before it notices a cancellation or a revoked key at another replica.
 */
const CLAIM_MS = 250;
const RENEW_MS = 500;
/** How often due jobs are searched, in milliseconds: the longest delay of a start while an orchestrator runs. */
const JOBS_MS = 500;
/**
 * How often erasure orders for texts are fetched from the kernel, in milliseconds: the longest delay of an erasure that
 * no request waits for.
 */
const TEXTS_MS = 1_000;

/** The configuration of runs. */
export interface RunsConfig {
  readonly WRIT_SHARD: string;
  readonly WRIT_EVENT_STREAMS_MAX: number;
  readonly WRIT_RUN_COST_PER_DAY_MAX?: number | undefined;
  readonly models: readonly ConfiguredModel[];
  /** the key from which the key of staged changes is derived */
  readonly webhookKey: Buffer;
}

const logFailure =
  ({ logger }: ProcessContext) =>
  (err: unknown) =>
    logger.warn({ err }, 'runs could not be claimed or renewed');

/** Provides turns of models that clients drive, and staged changes. */
const turns = (config: RunsConfig): Provider[] => [
  provideBy(
    StagedChanges,
    [ProposeInOrder, ShowOperation, BlobStore, WorkerTasks, KernelClient],
    (order, show, blobs, tasks, kernel) => {
      const tokens = new StagedTokens(config.webhookKey);
      const stagedMs = async (caller: Caller) => (await kernel.ask('policy.times', caller, {})).staged_change_ms;
      return new StagedChanges({ order, show, blobs, tasks, tokens, stagedMs, now: Date.now });
    },
  ),
  provideBy(
    TurnSubAgents,
    [ProposeInOrder, Sessions, Models, KernelClient],
    (order, kept, models, kernel) =>
      new TurnSubAgents({
        order,
        sessions: kept,
        models,
        tokenOf: async (caller, operation_id) =>
          (await kernel.askUntilAnswered('token.spawn', caller, { operation_id })).capability_token_id,
        monotonic: () => performance.now(),
        wait: async (ms, signal) => {
          await sleep(ms, undefined, { signal }).catch(() => undefined);
        },
      }),
  ),
  provideBy(
    RunTurn,
    [ProposeInOrder, StagedChanges, TurnSubAgents, ShowOperation, RateLimit, WorkerTasks],
    (order, staged, subAgents, show, rate, tasks) => new RunTurn({ order, staged, subAgents, show, rate, tasks }),
  ),
  provideClass(ShowPrompt, KernelClient, Offers, Propose, ShowOperation, Models),
];

/** Provides the driving of runs. */
function driving(config: RunsConfig, given: ProcessContext): Provider[] {
  const { bus, logger, telemetry } = given;
  const { meter } = telemetry;
  const subjects = subjectsOf(config.WRIT_SHARD);
  return [
    provideClass(CallServices, Propose, ShowOperation, StagedChanges, Offers),
    provideBy(
      DriveRuns,
      [KernelClient, RunWork, Models, CallServices, OperationWatch, RegisteredLifetime, PersonLinks],
      (kernel, work, models, callServices, watch, lifetime, persons) => {
        const runs = new DriveRuns(
          drivePartsOf(
            { kernel, work, models, callServices },
            {
              meter,
              tenantCostMax: config.WRIT_RUN_COST_PER_DAY_MAX ?? null,
              withPerson: (caller) => persons.withPerson(caller),
              publish: (news) => bus.publish(subjects.event('run', news.tenant_id), news),
            },
          ),
          (err) => logger.warn({ err }, 'a run could not go on'),
        );
        meter.observe(['writ.runs.driven'], (observe) => observe('writ.runs.driven', runs.size));
        watch.subscribeToAll((operationId, state) => runs.operationChanged(operationId, state));
        lifetime.add(
          new Repeated(() => runs.run(), CLAIM_MS, logFailure(given)),
          new Repeated(() => runs.renew(), RENEW_MS, logFailure(given)),
          { start: () => undefined, stop: () => runs.stop() },
        );
        return runs;
      },
    ),
  ];
}

/** Provides sessions, and the erasure of their texts. */
const sessions = ({ logger }: ProcessContext): Provider[] => [
  provideClass(ChangeSessions, KernelClient, Sessions, Models),
  provideBy(EraseTexts, [KernelClient, SessionTexts, RegisteredLifetime], (kernel, sessionTexts, lifetime) => {
    const texts = new EraseTexts(kernel, sessionTexts, (err) =>
      logger.warn({ err }, 'texts of sessions could not be erased; the erasure is retried'),
    );
    lifetime.add(new Repeated(() => texts.run(), TEXTS_MS, texts.failed));
    return texts;
  }),
  provideClass(BeginErasure, KernelClient, SessionTexts, EraseTexts),
];

/** Provides jobs, which start runs on a schedule. */
const jobs = (given: ProcessContext): Provider[] => [
  provideBy(StartJobs, [JobWork, RegisteredLifetime], (work, lifetime) => {
    const start = new StartJobs(work, (err) =>
      given.logger.warn({ err }, 'a job could not be started; the start is retried'),
    );
    lifetime.add(new Repeated(() => start.run(), JOBS_MS, logFailure(given)));
    return start;
  }),
  provideBy(
    ChangeJobs,
    [KernelClient, Jobs, Models],
    (kernel, kept, models) =>
      new ChangeJobs(kernel, kept, { hasModel: (name) => models.read(name) !== null, now: Date.now }),
  ),
];

/** Everything that drives agents: sessions with their runs and turns, and jobs. */
@Module({})
export class RunsModule {
  /** @param below the modules before this one */
  static with(config: RunsConfig, given: ProcessContext, below: DynamicModule[]): DynamicModule {
    const models = new Models(config.models, {
      openai: (parts) => new OpenAiModel(parts),
      anthropic: (parts) => new AnthropicModel(parts),
      gemini: (parts) => new GeminiModel(parts),
    });
    const providers = [
      provideValue(models),
      provideBy(RunHub, [RegisteredLifetime], (lifetime) => {
        const hub = new RunHub(config.WRIT_EVENT_STREAMS_MAX);
        lifetime.onStop(() => hub.close());
        return hub;
      }),
      ...turns(config),
      ...driving(config, given),
      ...sessions(given),
      ...jobs(given),
    ];
    return { module: RunsModule, imports: below, controllers: [RunNewsController], providers, exports: providers };
  }
}
