// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { BlobStore } from '@writ/blobs';
import { subjectsOf } from '@writ/contract';
import { AnthropicModel, GeminiModel, OpenAiModel } from '@writ/model-http';
import { provideBy, provideClass, provideValue, Repeated, type ProcessContext } from '@writ/nest-kit';
import { KernelClient } from '../calls/kernel/kernel-client.ts';
import { Offers } from '../calls/kernel/offers.ts';
import { OperationWatch } from '../calls/operation-watch.ts';
import { Propose } from '../calls/propose.ts';
import { ProposeInOrder } from '../calls/propose-in-order.ts';
import { ShowOperation } from '../calls/show-operation.ts';
import { RateLimit } from '../edge/access/rate-limit.ts';
import { WorkerTasks } from '../edge/work/worker-tasks.ts';
import { Jobs, JobWork } from '../store/jobs/jobs.ts';
import { RegisteredLifetime } from '../store/registered-lifetime.ts';
import { SaidTexts } from '../store/sessions/said-texts.ts';
import { RunWork, Sessions } from '../store/sessions/sessions.ts';
import { CallWays, drivePartsOf } from './driving/drive-parts.ts';
import { DriveRuns } from './driving/drive-runs.ts';
import { ChangeJobs } from './jobs/change-jobs.ts';
import { StartJobs } from './jobs/start-jobs.ts';
import { Models } from './models/models.ts';
import type { ConfiguredModel } from './models/models-file.ts';
import { BeginErasure } from './sessions/begin-erasure.ts';
import { ChangeSessions } from './sessions/change-sessions.ts';
import { EraseTexts } from './sessions/erase-texts.ts';
import { RunHub } from './sessions/run-hub.ts';
import { RunNewsController } from './sessions/run-news.controller.ts';
import { RunTurn } from './turns/run-turn.ts';
import { StagedChanges } from './turns/staged-changes.ts';
import { StagedTokens } from './turns/staged-token.ts';

/**
 * How often runs that are due are claimed, and leases of those under way renewed: what a run waits at most before it
 * begins, and before it hears of its cancellation elsewhere, or of its key's revocation.
 */
const CLAIM_MS = 250;
const RENEW_MS = 500;
/** How often jobs that are due are looked for: what one is late at most while anybody is there. */
const JOBS_MS = 500;
/**
 * How often the kernel is asked what is to be erased of what was said: what an erasure waits here at most that nobody
 * waits for.
 */
const TEXTS_MS = 1_000;

/** What the configuration says of runs. */
export interface RunsConfig {
  readonly WRIT_SHARD: string;
  readonly WRIT_EVENT_STREAMS_MAX: number;
  readonly WRIT_RUN_COST_PER_DAY_MAX?: number | undefined;
  readonly models: readonly ConfiguredModel[];
  /** the key of which the key of staged changes is made */
  readonly webhookKey: Buffer;
}

const lost =
  ({ logger }: ProcessContext) =>
  (err: unknown) =>
    logger.warn({ err }, 'runs could not be claimed or renewed');

/** The calls of a turn of a model, whoever drives the model. */
const turns = (config: RunsConfig): Provider[] => [
  provideBy(StagedChanges, [ProposeInOrder, ShowOperation, BlobStore, WorkerTasks], (order, show, blobs, tasks) => {
    const tokens = new StagedTokens(config.webhookKey);
    return new StagedChanges({ order, show, blobs, tasks, tokens, now: Date.now });
  }),
  provideBy(
    RunTurn,
    [ProposeInOrder, StagedChanges, ShowOperation, RateLimit, WorkerTasks],
    (order, staged, show, rate, tasks) => new RunTurn({ order, staged, show, rate, tasks }),
  ),
];

/** Runs that are driven here. */
function driving(config: RunsConfig, given: ProcessContext): Provider[] {
  const { bus, logger, telemetry } = given;
  const { meter } = telemetry;
  const subjects = subjectsOf(config.WRIT_SHARD);
  return [
    provideClass(CallWays, Propose, ShowOperation, StagedChanges, Offers),
    provideBy(
      DriveRuns,
      [KernelClient, RunWork, Models, CallWays, OperationWatch, RegisteredLifetime],
      (kernel, work, models, ways, watch, lifetime) => {
        const runs = new DriveRuns(
          drivePartsOf(
            { kernel, work, models, ways },
            {
              meter,
              tenantCostMax: config.WRIT_RUN_COST_PER_DAY_MAX ?? null,
              tell: (news) => bus.publish(subjects.event('run', news.tenant_id), news),
            },
          ),
          (err) => logger.warn({ err }, 'a run could not go on'),
        );
        meter.observe(['writ.runs.driven'], (observe) => observe('writ.runs.driven', runs.size));
        watch.onEvery((operationId, state) => runs.heard(operationId, state));
        lifetime.add(
          new Repeated(() => runs.run(), CLAIM_MS, lost(given)),
          new Repeated(() => runs.renew(), RENEW_MS, lost(given)),
          { start: () => undefined, stop: () => runs.stop() },
        );
        return runs;
      },
    ),
  ];
}

/** Sessions, and what is erased of them. */
const sessions = ({ logger }: ProcessContext): Provider[] => [
  provideClass(ChangeSessions, KernelClient, Sessions, Models),
  provideBy(EraseTexts, [KernelClient, SaidTexts, RegisteredLifetime], (kernel, said, lifetime) => {
    const texts = new EraseTexts(kernel, said, (err) =>
      logger.warn({ err }, 'what was said could not be erased, and is tried again'),
    );
    lifetime.add(new Repeated(() => texts.run(), TEXTS_MS, texts.failed));
    return texts;
  }),
  provideClass(BeginErasure, KernelClient, SaidTexts, EraseTexts),
];

/** Runs that begin by the clock. */
const jobs = (given: ProcessContext): Provider[] => [
  provideBy(StartJobs, [JobWork, RegisteredLifetime], (work, lifetime) => {
    const start = new StartJobs(work, (err) =>
      given.logger.warn({ err }, 'a job could not be started, and is tried again'),
    );
    lifetime.add(new Repeated(() => start.run(), JOBS_MS, lost(given)));
    return start;
  }),
  provideBy(
    ChangeJobs,
    [KernelClient, Jobs, Models],
    (kernel, kept, models) =>
      new ChangeJobs(kernel, kept, { hasModel: (name) => models.read(name) !== null, now: Date.now }),
  ),
];

/** Agents that are driven here: sessions, their runs and turns, and jobs. */
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
