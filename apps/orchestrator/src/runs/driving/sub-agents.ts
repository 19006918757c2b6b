// SPDX-License-Identifier: Apache-2.0
import { costOf, type HeldCall, type ModelCall, type RunState, type ToolAnswer } from '@writ/agent-loop';
import type { Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { OpenRun, RunClaim, RunRow, RunWork } from '../../store/session-rows/sessions.ts';
import type { ConfiguredModel } from '../models/models-file.ts';
import { subAgentAnswer } from './sub-agent-answer.ts';

/** Most sub-agents of a run; more are likely an error of the model. */
const COUNT_MAX = 20;
/** Default limit of a sub-agent's replies. */
export const SUB_AGENT_ROUNDS = 10;

/** The parent run, as it is when it makes the call. */
export interface ParentRun {
  readonly claim: RunClaim;
  readonly open: OpenRun;
  readonly caller: Caller;
  readonly state: RunState;
  readonly prices: ConfiguredModel['prices'];
}

/**
 * Sub-agents of runs. Each has a separate session with one run, which any replica may drive. The parent run stores that
 * it waits, and releases its lease. INVARIANT (once): a sub-agent belongs to an operation, so a replica that continues
 * the parent run finds the existing one. INVARIANT (no wider): the kernel derives its token from the committed call;
 * this process does not choose what it grants.
 */
export class SubAgents {
  readonly #work: RunWork;
  readonly #tokenOf: (caller: Caller, operationId: string) => Promise<string>;

  /** @param tokenOf returns the token that the kernel derives from the committed call */
  constructor(work: RunWork, tokenOf: (caller: Caller, operationId: string) => Promise<string>) {
    this.#work = work;
    this.#tokenOf = tokenOf;
  }

  /**
   * The answer of the sub-agent for a committed call; it is started if it does not exist. The model receives the
   * faults: those of the token, `limit.exceeded`.
   */
  async answer(parent: ParentRun, call: ModelCall, operationId: string): Promise<ToolAnswer | { held: HeldCall }> {
    const { claim } = parent;
    const existing = await this.#work.subAgentRun(claim, operationId);
    if (existing?.run.state === 'ended') return await subAgentAnswer(existing.run, existing.events);
    const run = existing?.run ?? (await this.#begin(parent, call, operationId));
    return {
      held: {
        operation_id: operationId,
        waits_for: 'run',
        run_id: run.run_id,
        text: `the sub-agent's run \`${run.run_id}\` has to end first`,
      },
    };
  }

  /** Whether the sub-agent has ended or no longer exists. */
  async isOver(claim: RunClaim, operationId: string): Promise<boolean> {
    const there = await this.#work.subAgentRun(claim, operationId);
    return there === null || there.run.state === 'ended';
  }

  async #begin(parent: ParentRun, { args }: ModelCall, operationId: string): Promise<RunRow> {
    const {
      claim,
      caller,
      open: { session, run },
    } = parent;
    const capability_token_id = await this.#tokenOf(caller, operationId);
    const session_id = newId('session');
    const { agent_id, workspace_id, dialect, model } = session;
    return await this.#work.spawn(
      claim,
      {
        session_id,
        name: null,
        agent_id,
        workspace_id,
        capability_token_id,
        dialect,
        model,
        forked_from: null,
        spawned_by: { run_id: run.run_id, operation_id: operationId },
        job_id: session.job_id,
        session_mode: session.session_mode,
        scheduling_class: session.scheduling_class,
        content: { ...session.content, base: [] },
        created_by: run.created_by,
      },
      {
        run_id: newId('run'),
        session_id,
        idempotency_key: null,
        input: String(args['task']),
        ...limitsOf(parent, args['rounds_max']),
        created_by: run.created_by,
        role: run.role,
        principal: run.principal,
      },
      COUNT_MAX,
    );
  }
}

/**
 * INVARIANT (within the parent run): a sub-agent's limits are what is left of its parent run's tokens and cost; the
 * parent makes no other progress meanwhile.
 */
function limitsOf(
  { open: { run }, state: { usage, below }, prices }: ParentRun,
  rounds: unknown,
): Pick<RunRow, 'rounds_max' | 'tokens_max' | 'cost_max'> {
  const left = (bound: number | null, used: number): number | null =>
    bound === null ? null : Math.max(1, bound - used);
  return {
    rounds_max: typeof rounds === 'number' ? rounds : SUB_AGENT_ROUNDS,
    tokens_max: left(run.tokens_max, usage.input_tokens + usage.output_tokens + below.tokens),
    cost_max: left(run.cost_max, (prices === null ? 0 : costOf(usage, prices)) + below.cost),
  };
}
