// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  REPLAYED_MAX,
  idSchema,
  type Caller,
  type KernelRequest,
  type PolicyReplay,
  type RecordedCallRef,
} from '@writ/contract';
import { badCursor, cursorCodec } from '@writ/paging';
import { Type } from 'typebox';
import type { RunReplayView } from './views.ts';
import { Sessions, type RunRow } from '../../store/session-rows/sessions.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { positionKey } from '../../runs/driving/run-call.ts';

/** Events of one read: an answer may be tens of kilobytes long. */
const ROWS = 20;
/** Nesting limit of sub-agents, above the depth limit of tokens. */
const DEPTH_MAX = 10;

/** Longest tool id; longer texts of a model name no tool. */
const TOOL_CHARS_MAX = 128;

/** The policy set to evaluate, and the part of the run. */
export interface ReplayRequest {
  readonly policy?: string;
  readonly document?: Readonly<Record<string, unknown>>;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A call of a run with its position, and a reference by which the kernel finds it. */
interface PositionedCall {
  readonly run_id: string;
  readonly round: number;
  readonly index: number;
  readonly tool_id: string;
  /** null where it never became an operation */
  readonly ref: RecordedCallRef | null;
}

/** A call that a reply requested, before its operation is known. */
type RequestedCall = Omit<PositionedCall, 'ref'> & {
  readonly isCall: boolean;
  operationId: string | null;
  below: string | null;
};

/** The cursor of a page of calls: the position of its last call. */
export const CALL_CURSOR = cursorCodec(
  Type.Object(
    { run_id: idSchema('run'), round: Type.Integer({ minimum: 0 }), index: Type.Integer({ minimum: 0 }) },
    { additionalProperties: false },
  ),
);
const cursorOf = ({ run_id, round, index }: PositionedCall): string => CALL_CURSOR.format({ run_id, round, index });

/**
 * Replays a recorded run under another policy: the kernel evaluates its calls, and those of its sub-agents, against a
 * set. INVARIANT (only asked): this process and the kernel execute, decide, reserve and record nothing. The calls of a
 * run are taken from its own events and from the keys of their positions, never from what a call claims.
 */
export class ReplayRun {
  readonly #kernel: KernelClient;
  readonly #sessions: Sessions;

  constructor(kernel: KernelClient, sessions: Sessions) {
    this.#kernel = kernel;
    this.#sessions = sessions;
  }

  /** Returns one page. Faults: `not_found`, `request.malformed` for a cursor of another run, those of the set. */
  async run(caller: Caller, runId: string, { policy, document, cursor, limit }: ReplayRequest): Promise<RunReplayView> {
    const all = await this.#callsOf(caller, await this.#read(caller, runId), 0);
    const from = cursor === undefined ? 0 : all.findIndex((call) => cursorOf(call) === cursor) + 1;
    if (cursor !== undefined && from === 0) throw badCursor({ pointer: '/cursor' });
    const page = all.slice(from, from + limit);
    const set = { policy: policy ?? null, document: document ?? null };
    const { candidate, items } = await this.#replayed(caller, set, page);
    const last = page.at(-1);
    return {
      run_id: runId,
      candidate,
      next_cursor: last === undefined || from + limit >= all.length ? null : cursorOf(last),
      ...summarize(items),
    };
  }

  /** Evaluates the page in slices that fit a message. An empty page still validates the set. */
  async #replayed(
    caller: Caller,
    set: Pick<KernelRequest<'policy.replay'>, 'policy' | 'document'>,
    page: readonly PositionedCall[],
  ): Promise<{ candidate: PolicyReplay['candidate']; items: RunReplayView['items'] }> {
    const items: RunReplayView['items'] = [];
    for (let at = 0; ; at += REPLAYED_MAX) {
      const slice = page.slice(at, at + REPLAYED_MAX);
      const replay = await this.#kernel.ask('policy.replay', caller, {
        ...set,
        calls: slice.flatMap(({ ref }) => (ref === null ? [] : [ref])),
      });
      const replayed = replay.items.values();
      for (const call of slice) items.push(itemOf(call, call.ref === null ? null : (replayed.next().value ?? null)));
      if (at + REPLAYED_MAX >= page.length)
        return {
          candidate: replay.candidate,
          items: items.filter((item) => item.round > 0 || item.operation_id !== null),
        };
    }
  }

  /** Calls in the order in which the model wrote them; a sub-agent's calls follow the call that started it. */
  async #callsOf(caller: Caller, run: RunRow, depth: number): Promise<PositionedCall[]> {
    const session = await this.#sessions.read(caller.tenant_id, run.session_id);
    if (session === null) throw new Fault('not_found');
    const calls: PositionedCall[] = [];
    for (const { operationId, below, isCall, ...call } of await this.#requestedCalls(caller, run)) {
      const key = {
        agent_id: session.agent_id,
        tool_id: call.tool_id,
        idempotency_key: positionKey(call.run_id, call),
      };
      const ref = operationId !== null ? { operation_id: operationId } : isCall ? key : null;
      calls.push({ ...call, ref });
      if (below !== null && depth < DEPTH_MAX)
        calls.push(...(await this.#callsOf(caller, await this.#read(caller, below), depth + 1)));
    }
    return calls;
  }

  async #requestedCalls(caller: Caller, { run_id }: RunRow): Promise<RequestedCall[]> {
    // The run's own read before the first request to a model: see `readAsAgent`.
    const requested: RequestedCall[] = [
      { run_id, round: 0, index: 0, tool_id: 'fs.read', isCall: true, operationId: null, below: null },
    ];
    const byPosition = new Map<string, RequestedCall>();
    let rounds = 0;
    for (let after = 0; ;) {
      const page = await this.#sessions.events(caller.tenant_id, run_id, after, ROWS);
      for (const { event } of page) {
        if (event.kind === 'replied') {
          const round = (rounds += 1);
          event.turn.calls.forEach(({ tool_id, problem }, index) => {
            const isCall = problem === undefined && tool_id.length >= 1 && tool_id.length <= TOOL_CHARS_MAX;
            const place = { run_id, round, index, tool_id, isCall, operationId: null, below: null };
            requested.push(place);
            byPosition.set(`${round}/${index}`, place);
          });
        }
        const place =
          event.kind === 'answered' || event.kind === 'held'
            ? byPosition.get(`${event.round}/${event.index}`)
            : undefined;
        if (place === undefined) continue;
        if (event.kind === 'answered')
          [place.operationId, place.below] = [
            event.answer.operation_id ?? place.operationId,
            event.answer.below?.run_id ?? place.below,
          ];
        if (event.kind === 'held')
          [place.operationId, place.below] = [event.held.operation_id, event.held.run_id ?? place.below];
      }
      if (page.length < ROWS) return requested;
      after = page.at(-1)?.seq ?? after;
    }
  }

  async #read(caller: Caller, runId: string): Promise<RunRow> {
    const run = await this.#sessions.readRun(caller.tenant_id, runId);
    if (run === null) throw new Fault('not_found');
    return run;
  }
}

function itemOf(
  { run_id, round, index, tool_id }: PositionedCall,
  replayed: PolicyReplay['items'][number],
): RunReplayView['items'][number] {
  const place = { run_id, round, index };
  if (replayed === null)
    return {
      ...place,
      tool_id,
      operation_id: null,
      was: null,
      would_be: null,
      why_not: 'the call was refused before it became an operation, or its operation is unknown',
    };
  return { ...place, ...replayed };
}

/**
 * INVARIANT (one divergence): a conversation diverges at the first call with another verdict. Later calls are evaluated
 * as recorded, although the model might have acted differently.
 */
function summarize(items: RunReplayView['items']): Omit<RunReplayView, 'run_id' | 'candidate' | 'next_cursor'> {
  const compared = items.flatMap(({ was, would_be, run_id, round, index }) =>
    was === null || would_be === null ? [] : [{ was, would_be, at: { run_id, round, index } }],
  );
  const count = (verdict: string): number => compared.filter(({ would_be }) => would_be.verdict === verdict).length;
  return {
    parts_at: compared.find(({ was, would_be }) => was.verdict !== would_be.verdict)?.at ?? null,
    counts: {
      examined: items.length,
      skipped: items.length - compared.length,
      changed: compared.filter(({ was, would_be }) => was.mode !== would_be.mode).length,
      would_be: { admitted: count('admitted'), held: count('held'), refused: count('refused') },
    },
    items,
  };
}
