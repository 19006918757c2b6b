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
import { Sessions, type RunRow } from '../../store/sessions/sessions.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { placeKey } from '../../runs/driving/run-call.ts';

/** Events read at once: an answer may be tens of kilobytes long. */
const ROWS = 20;
/** Sub-agents below sub-agents: deeper than tokens are narrowed. */
const DEPTH_MAX = 10;

/** Longer words of a model are no tool. */
const TOOL_CHARS_MAX = 128;

/** Which set is asked, and about which part of the run. */
export interface ReplayWish {
  readonly policy?: string;
  readonly document?: Readonly<Record<string, unknown>>;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A call of a run by its place, as the kernel can find it. */
interface PlacedCall {
  readonly run_id: string;
  readonly round: number;
  readonly index: number;
  readonly tool_id: string;
  /** null where it never was an operation */
  readonly ref: RecordedCallRef | null;
}

/** What a reply asked for, until it is known what became of it. */
type Asked = Omit<PlacedCall, 'ref'> & { readonly isCall: boolean; operationId: string | null; below: string | null };

/** Where a page of calls ended: at the place of its last call. */
export const CALL_CURSOR = cursorCodec(
  Type.Object(
    { run_id: idSchema('run'), round: Type.Integer({ minimum: 0 }), index: Type.Integer({ minimum: 0 }) },
    { additionalProperties: false },
  ),
);
const cursorOf = ({ run_id, round, index }: PlacedCall): string => CALL_CURSOR.format({ run_id, round, index });

/**
 * A recorded run under another policy: its calls, and those of its sub-agents where they came, are put before the set
 * again by the kernel. INVARIANT (only asked): nothing is executed, decided, reserved or recorded here or there. Which
 * calls were a run's is read from its own events and from the keys that its places make, never from what a call says of
 * itself.
 */
export class ReplayRun {
  readonly #kernel: KernelClient;
  readonly #sessions: Sessions;

  constructor(kernel: KernelClient, sessions: Sessions) {
    this.#kernel = kernel;
    this.#sessions = sessions;
  }

  /** One page. Faults: `not_found`, `request.malformed` for a cursor of another run, those of the set. */
  async run(caller: Caller, runId: string, { policy, document, cursor, limit }: ReplayWish): Promise<RunReplayView> {
    const all = await this.#callsOf(caller, await this.#read(caller, runId), 0);
    const from = cursor === undefined ? 0 : all.findIndex((call) => cursorOf(call) === cursor) + 1;
    if (cursor !== undefined && from === 0) throw badCursor({ pointer: '/cursor' });
    const page = all.slice(from, from + limit);
    const set = { policy: policy ?? null, document: document ?? null };
    const { candidate, items } = await this.#asked(caller, set, page);
    const last = page.at(-1);
    return {
      run_id: runId,
      candidate,
      next_cursor: last === undefined || from + limit >= all.length ? null : cursorOf(last),
      ...summed(items),
    };
  }

  /** In slices that fit a message; a set is looked at where no call is, too. */
  async #asked(
    caller: Caller,
    set: Pick<KernelRequest<'policy.replay'>, 'policy' | 'document'>,
    page: readonly PlacedCall[],
  ): Promise<{ candidate: PolicyReplay['candidate']; items: RunReplayView['items'] }> {
    const items: RunReplayView['items'] = [];
    for (let at = 0; ; at += REPLAYED_MAX) {
      const slice = page.slice(at, at + REPLAYED_MAX);
      const replay = await this.#kernel.ask('policy.replay', caller, {
        ...set,
        calls: slice.flatMap(({ ref }) => (ref === null ? [] : [ref])),
      });
      const said = replay.items.values();
      for (const call of slice) items.push(itemOf(call, call.ref === null ? null : (said.next().value ?? null)));
      if (at + REPLAYED_MAX >= page.length)
        return {
          candidate: replay.candidate,
          items: items.filter((item) => item.round > 0 || item.operation_id !== null),
        };
    }
  }

  /** In the order in which the model wrote them; what a sub-agent did comes after the call that it worked for. */
  async #callsOf(caller: Caller, run: RunRow, depth: number): Promise<PlacedCall[]> {
    const session = await this.#sessions.read(caller.tenant_id, run.session_id);
    if (session === null) throw new Fault('not_found');
    const calls: PlacedCall[] = [];
    for (const { operationId, below, isCall, ...call } of await this.#places(caller, run)) {
      const key = { agent_id: session.agent_id, tool_id: call.tool_id, idempotency_key: placeKey(call.run_id, call) };
      const ref = operationId !== null ? { operation_id: operationId } : isCall ? key : null;
      calls.push({ ...call, ref });
      if (below !== null && depth < DEPTH_MAX)
        calls.push(...(await this.#callsOf(caller, await this.#read(caller, below), depth + 1)));
    }
    return calls;
  }

  async #places(caller: Caller, { run_id }: RunRow): Promise<Asked[]> {
    // What the run itself read before it asked a model: see `readAsAgent`.
    const places: Asked[] = [
      { run_id, round: 0, index: 0, tool_id: 'fs.read', isCall: true, operationId: null, below: null },
    ];
    const at = new Map<string, Asked>();
    let rounds = 0;
    for (let after = 0; ;) {
      const page = await this.#sessions.events(caller.tenant_id, run_id, after, ROWS);
      for (const { event } of page) {
        if (event.kind === 'replied') {
          const round = (rounds += 1);
          event.turn.calls.forEach(({ tool_id, problem }, index) => {
            const isCall = problem === undefined && tool_id.length >= 1 && tool_id.length <= TOOL_CHARS_MAX;
            const place = { run_id, round, index, tool_id, isCall, operationId: null, below: null };
            places.push(place);
            at.set(`${round}/${index}`, place);
          });
        }
        const place =
          event.kind === 'answered' || event.kind === 'held' ? at.get(`${event.round}/${event.index}`) : undefined;
        if (place === undefined) continue;
        if (event.kind === 'answered')
          [place.operationId, place.below] = [
            event.answer.operation_id ?? place.operationId,
            event.answer.below?.run_id ?? place.below,
          ];
        if (event.kind === 'held')
          [place.operationId, place.below] = [event.held.operation_id, event.held.run_id ?? place.below];
      }
      if (page.length < ROWS) return places;
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
  { run_id, round, index, tool_id }: PlacedCall,
  said: PolicyReplay['items'][number],
): RunReplayView['items'][number] {
  const place = { run_id, round, index };
  if (said === null)
    return {
      ...place,
      tool_id,
      operation_id: null,
      was: null,
      would_be: null,
      why_not: 'the call was refused before it became an operation, or nobody knows of one',
    };
  return { ...place, ...said };
}

/**
 * INVARIANT (one parting): a conversation parts where the first call gets another verdict; what comes after it is
 * decided as it was recorded, though a model might have gone another way.
 */
function summed(items: RunReplayView['items']): Omit<RunReplayView, 'run_id' | 'candidate' | 'next_cursor'> {
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
