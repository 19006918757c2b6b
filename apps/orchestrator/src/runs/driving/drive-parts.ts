// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, RunUpdate } from '@writ/contract';
import type { TextDialect } from '@writ/dialects';
import type { Meter } from '@writ/telemetry';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { Offers } from '../../calls/kernel/offers.ts';
import { parseCall } from '../../calls/parse-call.ts';
import type { Propose } from '../../calls/propose.ts';
import type { ShowOperation } from '../../calls/show-operation.ts';
import type { OpenRun, RunPrompt, RunWork } from '../../store/session-rows/sessions.ts';
import type { Models } from '../models/models.ts';
import type { StagedChanges } from '../turns/staged-changes.ts';
import { cancelCalls } from './cancel-calls.ts';
import { readAsAgent, type CallParts } from './run-call.ts';
import { ComposePrompt } from './run-prompt.ts';
import { RunMetrics } from './run-metrics.ts';
import { SubAgents } from './sub-agents.ts';
import type { TokenCharge } from './token-charges.ts';

/** What this process needs to drive runs. */
export interface DriveParts {
  readonly work: RunWork;
  readonly models: Models;
  readonly calls: CallParts;
  readonly prompt: (caller: Caller, open: OpenRun, dialect: TextDialect | null) => Promise<RunPrompt>;
  /** whether a held call has been decided */
  readonly isDecided: (caller: Caller, operationId: string) => Promise<boolean>;
  readonly subAgents: SubAgents;
  /** the caller with the pseudonym of its person */
  readonly withPerson: (caller: Caller) => Promise<Caller>;
  /** whether the session's token or an ancestor was revoked */
  readonly tokenOf: (caller: Caller, capabilityTokenId: string) => Promise<{ readonly revoked: boolean }>;
  /** charges the capability token's budget, and budgets per day and month */
  readonly charge: (
    caller: Caller,
    request: TokenCharge & { readonly capability_token_id: string },
  ) => Promise<{ readonly bounded: boolean }>;
  /** cancels the calls of a run that have not ended */
  readonly cancelCalls: (caller: Caller, sessionId: string, runId: string) => Promise<void>;
  readonly publish: (news: RunUpdate) => void;
  /** most that a tenant's runs may cost within a day, in millionths; null: no limit */
  readonly tenantCostMax: number | null;
  readonly chance: () => number;
  /** milliseconds that only go forward */
  readonly monotonic: () => number;
  /** metrics of model usage, of ends of runs, and of the overhead of rounds */
  readonly metrics: Pick<RunMetrics, 'of' | 'ended' | 'took'>;
}

/** The services by which runs propose and show calls, the same as for every other call. */
export class CallServices {
  readonly propose: Propose;
  readonly show: ShowOperation;
  readonly staged: StagedChanges;
  readonly offers: Offers;

  constructor(propose: Propose, show: ShowOperation, staged: StagedChanges, offers: Offers) {
    this.propose = propose;
    this.show = show;
    this.staged = staged;
    this.offers = offers;
  }
}

/** The services from which `DriveParts` are built. */
export interface DriveDependencies {
  readonly kernel: KernelClient;
  readonly work: RunWork;
  readonly models: Models;
  readonly callServices: CallServices;
}

/** What the process provides besides. */
export interface DriveEnvironment {
  readonly meter: Meter;
  /** most that the runs of one tenant may cost within a day; null: no limit */
  readonly tenantCostMax: number | null;
  readonly publish: (news: RunUpdate) => void;
  readonly withPerson: (caller: Caller) => Promise<Caller>;
}

const callParts = ({ propose, show, staged }: CallServices): CallParts => ({
  parse: parseCall,
  propose: (...given) => propose.run(...given),
  show: (caller, view) => show.view(caller, view),
  staged,
  wait: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
});

/** Composes prompts. Their files are read by ordinary calls of the agent. */
function promptsOf({ models, callServices }: DriveDependencies, calls: CallParts): ComposePrompt {
  return new ComposePrompt(callServices.offers, (caller, { session, run }, path) =>
    readAsAgent(
      calls,
      {
        caller,
        session,
        run,
        model: models.read(session.model)?.model ?? session.model,
        dialect: null,
        onStarted: () => undefined,
      },
      path,
      new AbortController().signal,
    ),
  );
}

/** Builds the parts with the configured models and the usual services for calls. */
export function drivePartsOf(
  needs: DriveDependencies,
  { meter, tenantCostMax, publish, withPerson }: DriveEnvironment,
): DriveParts {
  const { kernel, work, models, callServices } = needs;
  const calls = callParts(callServices);
  const prompts = promptsOf(needs, calls);
  return {
    work,
    models,
    chance: Math.random,
    monotonic: () => performance.now(),
    metrics: new RunMetrics(meter),
    tenantCostMax,
    calls,
    prompt: (caller, open, dialect) => prompts.run(caller, open, dialect),
    isDecided: async (caller, operation_id) =>
      (await kernel.ask('operation.read', caller, { operation_id })).state !== 'held',
    subAgents: new SubAgents(
      work,
      async (caller, operation_id) =>
        (await kernel.askUntilAnswered('token.spawn', caller, { operation_id })).capability_token_id,
    ),
    tokenOf: async (caller, capability_token_id) => {
      const { revoked } = await kernel.ask('token.read', caller, { capability_token_id });
      return { revoked };
    },
    charge: (caller, draw) => kernel.askUntilAnswered('token.draw', caller, draw),
    cancelCalls: (caller, sessionId, runId) => cancelCalls(kernel, caller, sessionId, runId),
    publish,
    withPerson,
  };
}
