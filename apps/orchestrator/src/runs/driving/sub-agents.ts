// SPDX-License-Identifier: Apache-2.0
import { costOf, type HeldCall, type ModelCall, type RunState, type ToolAnswer } from '@writ/agent-loop';
import type { Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { KeptEvents } from '../../store/sessions/run-events.ts';
import type { OpenRun, RunClaim, RunRow, RunWork } from '../../store/sessions/sessions.ts';
import type { ConfiguredModel } from '../models/models-file.ts';

/** A run that hands on more than this has lost sight of its task. */
const COUNT_MAX = 20;
/** Replies of a sub-agent unless said. */
const ROUNDS = 10;
/** Its last words, as far as its caller reads them. */
const TEXT_CHARS_MAX = 40_000;

/** The run above, as it stands when it asks. */
export interface Above {
  readonly claim: RunClaim;
  readonly open: OpenRun;
  readonly caller: Caller;
  readonly state: RunState;
  readonly prices: ConfiguredModel['prices'];
}

/**
 * Sub-agents of runs: each a session of its own with one run, which is driven as any other by whoever has room. The run
 * above keeps that it waits, and lets go of its lease. INVARIANT (once): the sub-agent is the operation's, so whoever
 * goes on with the run above finds the one that there is. INVARIANT (no wider): its token is made by the kernel of the
 * call that was committed; nothing here says what it grants.
 */
export class SubAgents {
  readonly #work: RunWork;
  readonly #tokenOf: (caller: Caller, operationId: string) => Promise<string>;

  /** @param tokenOf the token that the kernel makes of the committed call */
  constructor(work: RunWork, tokenOf: (caller: Caller, operationId: string) => Promise<string>) {
    this.#work = work;
    this.#tokenOf = tokenOf;
  }

  /**
   * What became of the sub-agent that a committed call is for, which it begins unless there is one. Faults: those of
   * the token, `limit.exceeded`: for the model to read.
   */
  async answer(above: Above, call: ModelCall, operationId: string): Promise<ToolAnswer | { held: HeldCall }> {
    const { claim } = above;
    const there = await this.#work.below(claim, operationId);
    if (there?.run.state === 'ended') return await answerOf(there.run, there.events);
    const run = there?.run ?? (await this.#begin(above, call, operationId));
    return {
      held: {
        operation_id: operationId,
        waits_for: 'run',
        run_id: run.run_id,
        text: `the sub-agent's run \`${run.run_id}\` has to end first`,
      },
    };
  }

  /** Whether nothing is to be waited for any more. */
  async isOver(claim: RunClaim, operationId: string): Promise<boolean> {
    const there = await this.#work.below(claim, operationId);
    return there === null || there.run.state === 'ended';
  }

  async #begin(above: Above, { args }: ModelCall, operationId: string): Promise<RunRow> {
    const {
      claim,
      caller,
      open: { session, run },
    } = above;
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
        content: { ...session.content, base: [] },
        created_by: run.created_by,
      },
      {
        run_id: newId('run'),
        session_id,
        idempotency_key: null,
        input: String(args['task']),
        ...limitsOf(above, args['rounds_max']),
        created_by: run.created_by,
        role: run.role,
        principal: run.principal,
      },
      COUNT_MAX,
    );
  }
}

/**
 * INVARIANT (within the run above): what is left of its tokens and cost is the sub-agent's bound; nothing else of that
 * run goes on meanwhile.
 */
function limitsOf(
  { open: { run }, state: { usage, below }, prices }: Above,
  rounds: unknown,
): Pick<RunRow, 'rounds_max' | 'tokens_max' | 'cost_max'> {
  const left = (bound: number | null, used: number): number | null =>
    bound === null ? null : Math.max(1, bound - used);
  return {
    rounds_max: typeof rounds === 'number' ? rounds : ROUNDS,
    tokens_max: left(run.tokens_max, usage.input_tokens + usage.output_tokens + below.tokens),
    cost_max: left(run.cost_max, (prices === null ? 0 : costOf(usage, prices)) + below.cost),
  };
}

/** What the run above is told: last words, how it ended, and what it took with all below it. */
async function answerOf(run: RunRow, events: KeptEvents): Promise<ToolAnswer> {
  let [text, calls, tokens, cost] = ['', 0, run.input_tokens + run.output_tokens, run.cost ?? 0];
  for await (const event of events) {
    if (event.kind === 'replied') text = event.turn.text.slice(0, TEXT_CHARS_MAX);
    if (event.kind !== 'answered') continue;
    calls += 1;
    tokens += event.answer.below?.tokens ?? 0;
    cost += event.answer.below?.cost ?? 0;
  }
  const isDone = run.stopped === 'end';
  return {
    text: JSON.stringify({
      status: isDone ? 'ok' : 'error',
      run_id: run.run_id,
      stopped: run.stopped,
      rounds: run.rounds,
      calls,
      tokens,
      text,
    }),
    standing: isDone ? 'completed' : run.stopped === 'cancelled' ? 'cancelled' : 'failed',
    is_error: !isDone,
    below: { run_id: run.run_id, tokens, cost },
  };
}
