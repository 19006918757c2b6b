// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@writ/bus';
import type { Subjects } from '@writ/contract';
import { AnthropicModel, GeminiModel, OpenAiModel } from '@writ/model-http';
import { parseCall } from './calls/parse-call.ts';
import type { Propose } from './calls/propose.ts';
import type { StagedChanges } from './runs/turns/staged-changes.ts';
import type { OrchestratorConfig } from './config.env.ts';
import type { RunWork } from './store/sessions/sessions.ts';
import type { ShowOperation } from './calls/show-operation.ts';
import { cancelCalls } from './runs/driving/cancel-calls.ts';
import { DriveRuns } from './runs/driving/drive-runs.ts';
import { Models } from './runs/models/models.ts';
import { readAsAgent, type CallParts } from './runs/driving/run-call.ts';
import { ComposePrompt } from './runs/driving/run-prompt.ts';
import { RunWatch } from './runs/driving/run-watch.ts';
import { SubAgents } from './runs/driving/sub-agents.ts';
import type { Meter } from '@writ/telemetry';
import type { KernelClient } from './calls/kernel-client.ts';
import { Offers } from './calls/offers.ts';

interface RunGround {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly kernel: KernelClient;
  readonly runWork: RunWork;
  readonly propose: Propose;
  readonly show: ShowOperation;
  readonly staged: StagedChanges;
  readonly meter: Meter;
  readonly failed: (error: unknown) => void;
}

/** How runs are driven here: models as configured, calls by the way of every call. */
export function openRuns(
  config: OrchestratorConfig,
  { bus, subjects, kernel, runWork, propose, show, staged, meter, failed }: RunGround,
): { readonly models: Models; readonly driving: DriveRuns } {
  const models = new Models(config.models, {
    openai: (given) => new OpenAiModel(given),
    anthropic: (given) => new AnthropicModel(given),
    gemini: (given) => new GeminiModel(given),
  });
  const wait = async (ms: number, signal: AbortSignal): Promise<void> => {
    await sleep(ms, undefined, { signal });
  };
  const calls: CallParts = {
    parse: parseCall,
    propose: (...given) => propose.run(...given),
    show: (caller, view) => show.view(caller, view),
    staged,
    wait,
  };
  const prompts = new ComposePrompt(new Offers(kernel, Date.now), (caller, { session, run }, path) =>
    readAsAgent(
      calls,
      {
        caller,
        session,
        run,
        model: models.read(session.model)?.model ?? session.model,
        dialect: null,
        started: () => undefined,
      },
      path,
      new AbortController().signal,
    ),
  );
  const driving = new DriveRuns(
    {
      work: runWork,
      models,
      chance: Math.random,
      monotonic: () => performance.now(),
      watch: new RunWatch(meter),
      tenantCostMax: config.WRIT_RUN_COST_PER_DAY_MAX ?? null,
      calls,
      prompt: (caller, open, dialect) => prompts.run(caller, open, dialect),
      isDecided: async (caller, operation_id) =>
        (await kernel.ask('operation.read', caller, { operation_id })).state !== 'held',
      subAgents: new SubAgents(
        runWork,
        async (caller, operation_id) =>
          (await kernel.insist('token.spawn', caller, { operation_id })).capability_token_id,
      ),
      tokenOf: async (caller, capability_token_id) => {
        const { revoked, left } = await kernel.ask('token.read', caller, { capability_token_id });
        return { revoked, bounded: left.llm_tokens !== undefined };
      },
      draw: (caller, draw) => kernel.insist('token.draw', caller, draw),
      cancelCalls: (caller, sessionId, runId) => cancelCalls(kernel, caller, sessionId, runId),
      tell: (news) => bus.publish(subjects.event('run', news.tenant_id), news),
    },
    failed,
  );
  meter.observe(['writ.runs.driven'], (observe) => {
    observe('writ.runs.driven', driving.size);
  });
  return { models, driving };
}
