// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, RunNews } from '@writ/contract';
import type { TextDialect } from '@writ/dialects';
import type { Meter } from '@writ/telemetry';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { Offers } from '../../calls/kernel/offers.ts';
import { parseCall } from '../../calls/parse-call.ts';
import type { Propose } from '../../calls/propose.ts';
import type { ShowOperation } from '../../calls/show-operation.ts';
import type { OpenRun, RunPrompt, RunWork } from '../../store/sessions/sessions.ts';
import type { Models } from '../models/models.ts';
import type { StagedChanges } from '../turns/staged-changes.ts';
import { cancelCalls } from './cancel-calls.ts';
import { readAsAgent, type CallParts } from './run-call.ts';
import { ComposePrompt } from './run-prompt.ts';
import { RunWatch } from './run-watch.ts';
import { SubAgents } from './sub-agents.ts';
import type { TokenDraw } from './token-draws.ts';

/** What driving needs. */
export interface DriveParts {
  readonly work: RunWork;
  readonly models: Models;
  readonly calls: CallParts;
  readonly prompt: (caller: Caller, open: OpenRun, dialect: TextDialect | null) => Promise<RunPrompt>;
  /** whether a call that was held is held no more */
  readonly isDecided: (caller: Caller, operationId: string) => Promise<boolean>;
  readonly subAgents: SubAgents;
  /** whether the session's token, or one above it, was revoked, and whether one of them bounds what models use */
  readonly tokenOf: (
    caller: Caller,
    capabilityTokenId: string,
  ) => Promise<{ readonly revoked: boolean; readonly bounded: boolean }>;
  /** draws on the token's budget */
  readonly draw: (
    caller: Caller,
    draw: TokenDraw & { readonly capability_token_id: string },
  ) => Promise<{ readonly bounded: boolean }>;
  /** ends the calls of a run that have not ended */
  readonly cancelCalls: (caller: Caller, sessionId: string, runId: string) => Promise<void>;
  readonly tell: (news: RunNews) => void;
  /** what a tenant's runs may cost within a day, in millionths; null: no bound */
  readonly tenantCostMax: number | null;
  readonly chance: () => number;
  /** milliseconds that only go forward */
  readonly monotonic: () => number;
  /** counts what models use, how runs end, and what their rounds take */
  readonly watch: Pick<RunWatch, 'of' | 'ended' | 'took'>;
}

/** By what runs make their calls and show them: the same way as every other call. */
export class CallWays {
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

/** What the parts are made of. */
export interface DriveNeeds {
  readonly kernel: KernelClient;
  readonly work: RunWork;
  readonly models: Models;
  readonly ways: CallWays;
}

/** What the process gives besides. */
export interface DriveSurroundings {
  readonly meter: Meter;
  /** most that the runs of one tenant may cost within a day; null: no bound */
  readonly tenantCostMax: number | null;
  readonly tell: (news: RunNews) => void;
}

const callParts = ({ propose, show, staged }: CallWays): CallParts => ({
  parse: parseCall,
  propose: (...given) => propose.run(...given),
  show: (caller, view) => show.view(caller, view),
  staged,
  wait: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
});

/** Prompts, whose files are read by a call of the agent's like any other. */
function promptsOf({ models, ways }: DriveNeeds, calls: CallParts): ComposePrompt {
  return new ComposePrompt(ways.offers, (caller, { session, run }, path) =>
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
}

/** How runs are driven here: models as configured, calls by the way of every call. */
export function drivePartsOf(needs: DriveNeeds, { meter, tenantCostMax, tell }: DriveSurroundings): DriveParts {
  const { kernel, work, models, ways } = needs;
  const calls = callParts(ways);
  const prompts = promptsOf(needs, calls);
  return {
    work,
    models,
    chance: Math.random,
    monotonic: () => performance.now(),
    watch: new RunWatch(meter),
    tenantCostMax,
    calls,
    prompt: (caller, open, dialect) => prompts.run(caller, open, dialect),
    isDecided: async (caller, operation_id) =>
      (await kernel.ask('operation.read', caller, { operation_id })).state !== 'held',
    subAgents: new SubAgents(
      work,
      async (caller, operation_id) =>
        (await kernel.insist('token.spawn', caller, { operation_id })).capability_token_id,
    ),
    tokenOf: async (caller, capability_token_id) => {
      const { revoked, left } = await kernel.ask('token.read', caller, { capability_token_id });
      return { revoked, bounded: left.llm_tokens !== undefined };
    },
    draw: (caller, draw) => kernel.insist('token.draw', caller, draw),
    cancelCalls: (caller, sessionId, runId) => cancelCalls(kernel, caller, sessionId, runId),
    tell,
  };
}
