// SPDX-License-Identifier: Apache-2.0
import { callBudget } from '@writ/capability';
import { schedulingClassOf } from '@writ/fairness';
import { LRUCache } from 'lru-cache';
import { QueueHeadroom } from './queue-headroom.ts';
import { sessionOf, type CallFacts, type Judgement } from '../../judging/judgement/index.ts';
import type { ProposedCall } from '@writ/contract';

/**
 * Entries of the cache, one for each kind of call. A chain of tokens with its grants is some KB, so all of them are a
 * few MB.
 */
const KINDS_MAX = 2_000;
/** Workspaces whose head is cached, some hundred bytes each. */
const HEADS_MAX = 10_000;
/**
 * Maximum age of cached facts, in milliseconds. After this time the clocks of this process and of the database may have
 * drifted too far apart for an assertion.
 */
const AGE_MAX_MS = 60_000;
/**
 * Each further consecutive miss doubles the number of calls that read their facts, up to 64. So facts that keep
 * changing cost next to nothing.
 */
const MISSES_MAX = 7;

/**
 * Facts that are cached as empty. `kernel.admit` asserts that they still are. Facts are listed, here and where they are
 * stored, and never spread. So a new fact doesn't compile until its author states here how `kernel.admit` asserts it.
 */
const ASSERTED_EMPTY = {
  // by inserting both
  existing: null,
  claim: null,
  // agents are never deleted
  agent: true,
  // by kernel.assert_unfrozen: a tenant that is closed is frozen
  closed: false,
  frozen: null,
  // by kernel.assert_key_valid
  keyRevoked: false,
  // calls that rely on external versions or count past calls are never cached
  versions: null,
  needs: null,
  // by kernel.assert_remembered, with the clock, the head and the past; not asserted for calls within the headroom of a
  // recent count. kernel.assert_decided_on asserts the chain, kernel.assert_rules the rules, and kernel.assert_tool a
  // tool of the tenant
  queueFull: false,
  backgroundQueueFull: false,
  outbox: { oldest: null, rows: 0 },
} satisfies Partial<CallFacts>;

/**
 * Facts that were not read for this call. A statement that writes a decision on them MUST assert them, see
 * `kernel.assert_remembered`.
 */
export type CachedFacts = CallFacts & {
  readonly cached: true;
  readonly head: string;
  readonly queueHeadroom: number | null;
};

interface CacheEntry {
  facts: CallFacts | null;
  /** when they were read, on the monotonic clock of this process */
  at: number;
  misses: number;
  /** number of further calls of this kind that must read their facts */
  skip: number;
}

/**
 * Caches the facts that an admission was decided on, for the next call of the same kind: same tenant, agent, tool,
 * token, workspace and session. Cached facts may be stale, so they serve only for a first try. `kernel.admit` asserts
 * all of them under its locks, and returns `again` where one has changed; then the facts are read. A call is never
 * refused or held on cached facts, since a refusal asserts nothing.
 */
export class FactCache {
  readonly #kinds = new LRUCache<string, CacheEntry>({ max: KINDS_MAX });
  readonly #heads = new LRUCache<string, string>({ max: HEADS_MAX });
  readonly #monotonic: () => number;
  readonly #headroom: Pick<QueueHeadroom, 'reserve' | 'found'>;

  /** @param monotonic milliseconds of a clock that is never set */
  constructor(
    monotonic: () => number,
    headroom: Pick<QueueHeadroom, 'reserve' | 'found'> = new QueueHeadroom(monotonic),
  ) {
    this.#monotonic = monotonic;
    this.#headroom = headroom;
  }

  /** The monotonic time, for the `readAt` of cached facts. */
  get clock(): number {
    return this.#monotonic();
  }

  /** Caches facts that were read at `readAt`, and on which the call was admitted. */
  store(call: ProposedCall, facts: CallFacts, judgement: Judgement, readAt: number): void {
    if (facts.head === null || facts.needs !== null || call.precondition_refs.length > 0 || !hasFullLimits(judgement))
      return;
    const { misses = 0, skip = 0 } = this.#kinds.get(kindOf(call)) ?? {};
    const { now, chain, head, rules, past, tool = null } = facts;
    this.#kinds.set(kindOf(call), {
      facts: { ...ASSERTED_EMPTY, now, chain, head, rules, past, tool },
      at: readAt,
      misses,
      skip,
    });
    this.moved(call.tenant_id, call.workspace_id, facts.head);
  }

  /**
   * The cached facts for calls of this kind, with the current time as `now` and the newest head that this replica has
   * seen. Null where the facts must be read.
   */
  find(call: ProposedCall): CachedFacts | null {
    const entry = this.#kinds.get(kindOf(call));
    const head = this.#heads.get(workspaceKeyOf(call.tenant_id, call.workspace_id));
    if (
      entry === undefined ||
      entry.facts === null ||
      head === undefined ||
      call.dry_run ||
      call.precondition_refs.length > 0
    )
      return null;
    const age = this.#monotonic() - entry.at;
    if (age > AGE_MAX_MS) return null;
    if (entry.skip > 0) {
      entry.skip -= 1;
      return null;
    }
    return {
      ...entry.facts,
      now: entry.facts.now + Math.round(age),
      head,
      cached: true,
      queueHeadroom: this.#headroom.reserve(queueOf(call)),
    };
  }

  /** Reports whether the call was admitted on these cached facts, which were read from the cache at `takenAt`. */
  recordUse(call: ProposedCall, { queueHeadroom }: CachedFacts, takenAt: number, wasAdmitted: boolean): void {
    if (wasAdmitted && queueHeadroom !== null) this.#headroom.found(queueOf(call), queueHeadroom, takenAt);
    const entry = this.#kinds.get(kindOf(call));
    if (entry === undefined) return;
    entry.misses = wasAdmitted ? 0 : Math.min(entry.misses + 1, MISSES_MAX);
    if (wasAdmitted) return;
    entry.facts = null;
    entry.skip = 2 ** (entry.misses - 1) - 1;
  }

  /** Caches the new head of a workspace. */
  moved(tenantId: string, workspaceId: string, head: string): void {
    this.#heads.set(workspaceKeyOf(tenantId, workspaceId), head);
  }
}

/**
 * Whether the limits of the call are all that its tool can use. Where a budget gives less, the remainder differs at
 * each call.
 */
export function hasFullLimits({ tool, limits }: Judgement): boolean {
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
/** The tenant's room in the queue, which is smaller for calls that aren't interactive. */
const queueOf = (call: ProposedCall): string =>
  schedulingClassOf(call) === 'interactive' ? call.tenant_id : `${call.tenant_id} background`;
const workspaceKeyOf = (tenantId: string, workspaceId: string): string => JSON.stringify([tenantId, workspaceId]);
