// SPDX-License-Identifier: Apache-2.0
//
// Sub-agents of agents that keep their own loop. The call that starts one is proposed like any other. Once it has been
// committed, the sub-agent runs here, in a session of its own. INVARIANT (no wider): the kernel derives its token from
// the committed call. INVARIANT (once): the operation identifies the sub-agent, so a turn that is posted again finds
// it.
import { Fault, TURN_SOURCE, type Caller } from '@writ/contract';
import { TEXT_DIALECTS, type DialectCall, type Outcome } from '@writ/dialects';
import { parseJson } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import type { ProposeInOrder } from '../../calls/propose-in-order.ts';
import { SESSIONS_MAX } from '../../store/session-rows/bounds.ts';
import type { KeptEvents } from '../../store/session-rows/run-events.ts';
import type { RunRow, Sessions } from '../../store/session-rows/sessions.ts';
import { subAgentAnswer } from '../driving/sub-agent-answer.ts';
import { SUB_AGENT_ROUNDS } from '../driving/sub-agents.ts';
import type { Models } from '../models/models.ts';
import { callResultOf, unproposed, type CallResult, type TurnContext } from './staged-changes.ts';
import { callOf, keyOf, type Turn } from './turn-call.ts';

/** How often the end of a sub-agent is looked for, in milliseconds. */
const LOOK_MS = 250;
/** Events that are read at once. */
const EVENTS = 500;

interface SubAgentDependencies {
  readonly order: Pick<ProposeInOrder, 'proposeOne'>;
  readonly sessions: Sessions;
  readonly models: Pick<Models, 'read' | 'views'>;
  /** returns the token that the kernel derives from the committed call */
  readonly tokenOf: (caller: Caller, operationId: string) => Promise<string>;
  /** milliseconds that only go forward */
  readonly monotonic: () => number;
  /** resolves after `ms` milliseconds, or when the signal aborts */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Starts sub-agents for calls of turns, and waits for their ends. */
export class TurnSubAgents {
  readonly #dependencies: SubAgentDependencies;

  constructor(dependencies: SubAgentDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The result of the call: the sub-agent's final text, or the ids of its session and run if the wait is over before. A
   * fault of the token or of a tenant with too many sessions is the result too; others of the kernel are thrown.
   */
  async run(context: TurnContext, call: DialectCall): Promise<CallResult> {
    const { caller, turn, waitOptions } = context;
    const model = modelOf(turn, this.#dependencies.models);
    if ('refused' in model) return unproposed(denied(model.refused));
    const until = this.#dependencies.monotonic() + waitOptions.waitMs;
    const proposed = callOf(turn, caller, { ...call, key: keyOf(turn, call.id) });
    const came = callResultOf(
      await this.#dependencies.order.proposeOne(
        caller,
        { ...proposed, provenance: { ...proposed.provenance, source: TURN_SOURCE } },
        waitOptions,
      ),
    );
    if (came.view?.result?.status !== 'ok') return came;
    const { operation_id } = came.view;
    try {
      const run = await this.#untilEnded(context, await this.#runOf(context, call, model.name, operation_id), until);
      return { ...came, resultToShow: null, ...(await this.#resultOf(caller, run)) };
    } catch (error) {
      if (!(error instanceof Fault) || error.retryable) throw error;
      return { ...came, resultToShow: null, outcome: failed(error) };
    }
  }

  /** The run of the sub-agent, which is started if it does not exist. */
  async #runOf(
    { caller, turn }: TurnContext,
    { args }: DialectCall,
    model: string,
    operationId: string,
  ): Promise<RunRow> {
    const { sessions, tokenOf } = this.#dependencies;
    const existing = await sessions.subAgentRun(caller.tenant_id, operationId);
    if (existing !== null) return existing;
    const session_id = newId('session');
    const { agent_id, workspace_id, dialect, session_mode = 'interactive', data_subject = null } = turn;
    const { rounds_max } = args;
    return await sessions.spawn(
      caller.tenant_id,
      {
        session_id,
        name: null,
        agent_id: agent_id as Parameters<Sessions['spawn']>[1]['agent_id'],
        workspace_id,
        capability_token_id: await tokenOf(caller, operationId),
        dialect: (TEXT_DIALECTS as readonly string[]).includes(dialect) ? dialect : 'native',
        model,
        forked_from: null,
        spawned_by: { run_id: null, operation_id: operationId },
        job_id: null,
        session_mode,
        scheduling_class: null,
        created_by: caller.api_key_id,
        content: { system: null, base: [], data_subject },
      },
      {
        run_id: newId('run'),
        session_id,
        idempotency_key: null,
        input: String(args['task']),
        rounds_max: typeof rounds_max === 'number' ? rounds_max : SUB_AGENT_ROUNDS,
        tokens_max: null,
        cost_max: null,
        created_by: caller.api_key_id,
        role: caller.role === 'agent' ? 'agent' : 'admin',
        principal: caller.principal ?? null,
      },
      SESSIONS_MAX,
    );
  }

  /** The run when it has ended, or as it is when the wait is over or nobody waits any more. */
  async #untilEnded({ caller, waitOptions: { gone } }: TurnContext, begun: RunRow, until: number): Promise<RunRow> {
    const { sessions, monotonic, wait } = this.#dependencies;
    let run = begun;
    for (;;) {
      const left = until - monotonic();
      if (run.state === 'ended' || left <= 0 || gone.aborted) return run;
      await wait(Math.min(LOOK_MS, left), gone);
      run = (await sessions.readRun(caller.tenant_id, run.run_id)) ?? run;
    }
  }

  async #resultOf(caller: Caller, run: RunRow): Promise<Pick<CallResult, 'outcome' | 'isUnderWay'>> {
    const { run_id, session_id, state } = run;
    if (state !== 'ended')
      return {
        outcome: { standing: 'executing', result: { run_id, session_id, state }, error: null },
        isUnderWay: true,
      };
    const { standing, text } = await subAgentAnswer(run, this.#eventsOf(caller, run_id));
    return { outcome: { standing, result: { ...(parseJson(text) as object), session_id }, error: null } };
  }

  async *#eventsOf({ tenant_id }: Caller, runId: string): KeptEvents {
    for (let after = 0; ;) {
      const page = await this.#dependencies.sessions.events(tenant_id, runId, after, EVENTS);
      for (const { event } of page) yield event;
      if (page.length < EVENTS) return;
      after = page.at(-1)?.seq ?? after;
    }
  }
}

const failed = ({ code, message }: Fault): Outcome => ({
  standing: 'failed',
  result: null,
  error: { code, message, hint: null },
});
const denied = (message: string): Outcome => ({
  standing: 'denied',
  result: null,
  error: { code: 'tool.not_available', message, hint: 'do the task yourself' },
});

/**
 * The model of a sub-agent: the one that the turn names for it, else the turn's own if it is configured here, else the
 * only one. A turn that limits autonomy gets none, because a session can't carry that limit.
 */
function modelOf(
  { sub_agent_model, model, max_autonomy = 'autopilot' }: Turn,
  models: SubAgentDependencies['models'],
): { readonly name: string } | { readonly refused: string } {
  if (max_autonomy !== 'autopilot')
    return { refused: 'a turn with `max_autonomy` starts no sub-agent, which would not be bound by it' };
  if (sub_agent_model !== undefined)
    return models.read(sub_agent_model) === null
      ? { refused: 'there is no such model here as `sub_agent_model` names; `/v1/models` lists those that there are' }
      : { name: sub_agent_model };
  if (model !== undefined && models.read(model) !== null) return { name: model };
  const [first, ...others] = models.views();
  if (first === undefined) return { refused: 'no model is set up here that a sub-agent could run on' };
  return others.length === 0
    ? { name: first.name }
    : { refused: 'several models are set up here: the turn must name the one of sub-agents in `sub_agent_model`' };
}
