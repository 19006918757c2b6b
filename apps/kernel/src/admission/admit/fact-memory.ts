// SPDX-License-Identifier: Apache-2.0
import { callBudget } from '@writ/capability';
import { LRUCache } from 'lru-cache';
import { QueueHeadroom } from './queue-headroom.ts';
import { sessionOf, type CallFacts, type Judgement } from '../../judging/judgement/index.ts';
import type { ProposedCall } from '@writ/contract';

/** Kinds of call remembered: a chain of tokens with its grants is some KB, so a few MB. */
const REMEMBERED_MAX = 2_000;
/** Workspaces whose head is remembered, some hundred bytes each. */
const HEADS_MAX = 10_000;
/**
 * After this the clocks of this process and of the database may have drifted apart by more than is worth asserting, in
 * milliseconds.
 */
const KEPT_MS = 60_000;
/**
 * Each further miss in a row doubles the calls that are decided on facts read: 64 at most, so that what keeps moving
 * costs next to nothing.
 */
const MISSES_MAX = 7;

/**
 * What is remembered as nothing, and asserted to be. Facts are listed, here and where they are kept, and not spread:
 * whoever adds one to a reading is told here that `kernel.admit` must assert it too, and how.
 */
const ASSERTED_NONE = {
  // by inserting both
  existing: null,
  claim: null,
  // agents are never deleted
  agent: true,
  // by kernel.assert_unfrozen
  frozen: null,
  // by kernel.assert_key_valid
  keyRevoked: false,
  // of calls that rely on resources or count what was done nothing is kept
  versions: null,
  needs: null,
  // by kernel.assert_remembered, with the clock, the head and the past, but for calls that a look a moment ago found
  // room for; chain and rules by kernel.assert_decided_on and kernel.assert_rules, a tenant's tool by
  // kernel.assert_tool
  queueFull: false,
  outbox: { oldest: null, rows: 0 },
} satisfies Partial<CallFacts>;

/**
 * Facts that were not read for the call: what writes a decision on them MUST assert them, see
 * `kernel.assert_remembered`.
 */
export type RememberedFacts = CallFacts & {
  readonly remembered: true;
  readonly head: string;
  readonly room: number | null;
};

interface Remembered {
  facts: CallFacts | null;
  /** when they were read, by this process's monotonic clock */
  at: number;
  misses: number;
  /** calls of the kind still to be decided on facts read */
  skip: number;
}

/**
 * Keeps what an admission was decided on, for the next of its kind: same tenant, agent, tool, token, workspace and
 * session. What is remembered may be old: it is good for a first try of an admission alone, since `kernel.admit`
 * asserts all of it under its locks and answers `again` where something moved; then the facts are read. Nothing is ever
 * refused or held on it: refusals assert nothing.
 */
export class FactMemory {
  readonly #kinds = new LRUCache<string, Remembered>({ max: REMEMBERED_MAX });
  readonly #heads = new LRUCache<string, string>({ max: HEADS_MAX });
  readonly #monotonic: () => number;
  readonly #rooms: Pick<QueueHeadroom, 'take' | 'found'>;

  /** @param monotonic milliseconds of a clock that is never set */
  constructor(monotonic: () => number, rooms: Pick<QueueHeadroom, 'take' | 'found'> = new QueueHeadroom(monotonic)) {
    this.#monotonic = monotonic;
    this.#rooms = rooms;
  }

  /** The time by which `keep` is told when facts were read. */
  get clock(): number {
    return this.#monotonic();
  }

  /** Keeps facts that were read by `readAt`, and on which the call was admitted. */
  keep(call: ProposedCall, facts: CallFacts, judgement: Judgement, readAt: number): void {
    if (facts.head === null || facts.needs !== null || call.precondition_refs.length > 0 || !isWhole(judgement)) return;
    const { misses = 0, skip = 0 } = this.#kinds.get(kindOf(call)) ?? {};
    const { now, chain, head, rules, past, tool = null } = facts;
    this.#kinds.set(kindOf(call), {
      facts: { ...ASSERTED_NONE, now, chain, head, rules, past, tool },
      at: readAt,
      misses,
      skip,
    });
    this.moved(call.tenant_id, call.workspace_id, facts.head);
  }

  /**
   * What was kept of calls of the kind, with `now` moved on and the newest head known here; null where the call must be
   * decided on facts read.
   */
  take(call: ProposedCall): RememberedFacts | null {
    const kept = this.#kinds.get(kindOf(call));
    const head = this.#heads.get(placeOf(call.tenant_id, call.workspace_id));
    if (
      kept === undefined ||
      kept.facts === null ||
      head === undefined ||
      call.dry_run ||
      call.precondition_refs.length > 0
    )
      return null;
    const age = this.#monotonic() - kept.at;
    if (age > KEPT_MS) return null;
    if (kept.skip > 0) {
      kept.skip -= 1;
      return null;
    }
    return {
      ...kept.facts,
      now: kept.facts.now + Math.round(age),
      head,
      remembered: true,
      room: this.#rooms.take(call.tenant_id),
    };
  }

  /** Whether the call was admitted on what was taken for it, at `takenAt`. */
  proved(call: ProposedCall, { room }: RememberedFacts, takenAt: number, held: boolean): void {
    if (held && room !== null) this.#rooms.found(call.tenant_id, room, takenAt);
    const kept = this.#kinds.get(kindOf(call));
    if (kept === undefined) return;
    kept.misses = held ? 0 : Math.min(kept.misses + 1, MISSES_MAX);
    if (held) return;
    kept.facts = null;
    kept.skip = 2 ** (kept.misses - 1) - 1;
  }

  /** The workspace has a new head. */
  moved(tenantId: string, workspaceId: string, head: string): void {
    this.#heads.set(placeOf(tenantId, workspaceId), head);
  }
}

/**
 * Whether the call got all that it can use. What is left of a budget that gives less is another amount at each call.
 */
export function isWhole({ tool, limits }: Judgement): boolean {
  return (
    tool !== null &&
    limits !== null &&
    Object.entries(callBudget(tool)).every(
      ([dimension, wanted]) => wanted === 0 || limits[dimension as keyof typeof limits] === wanted,
    )
  );
}

const kindOf = (call: ProposedCall): string =>
  JSON.stringify([
    call.tenant_id,
    call.agent_id,
    call.tool_id,
    call.capability_token_id,
    call.workspace_id,
    sessionOf(call),
  ]);
const placeOf = (tenantId: string, workspaceId: string): string => JSON.stringify([tenantId, workspaceId]);
