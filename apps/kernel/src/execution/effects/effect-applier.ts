// SPDX-License-Identifier: Apache-2.0
import { Fault, type Delta, type FaultCode } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import type { AttemptFacts } from '../attempts/index.ts';
import { endingFault, type EndingFault, type HeadChange } from '../outcomes/index.ts';
import { decidePreconditions, readVersions } from '../../judging/judgement/index.ts';
import { isUncounted } from '../../foundation/database/kernel-errors.ts';
import type { Sizes } from '../../foundation/workspace/sizes.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';
import type { EndVerdict, Head } from '../../foundation/rows/attempt-rows.ts';
import { bugEnding } from './bug-ending.ts';
import { makeNewHead } from './new-head.ts';
import { quotaHint } from './quota-hint.ts';
import type { Contents } from './staged-effect.ts';
import { Turns } from './turns.ts';

/**
 * Heads tried per reading. Commits of this replica take turns, so another try means that another replica was faster.
 */
const TRIES_MAX = 8;
/** What makes an effect impossible to commit on the head that it meets, as opposed to our own store failing. */
const ON_THE_HEAD: ReadonlySet<FaultCode> = new Set<FaultCode>(['workspace.conflict', 'effect.invalid']);

const CONFLICT_HINT = 'read the newest state and propose the call anew, with a new `idempotency_key`';

/** An effect that was checked and may commit. */
export interface CheckedDelta {
  readonly delta: Delta;
  /** contents that aren't stored yet, by hash */
  readonly contents: Contents;
}

/**
 * Writes an outcome with the new head, or with why the effect can't be applied there. Returns whether that worked:
 * `again` with a head asks for another try.
 */
export type EndOnHead = (change: HeadChange | EndingFault) => Promise<EndVerdict>;

/** Applies checked effects to the head of their workspace, whichever it is by then. */
export class EffectApplier {
  readonly #tenants: TenantPool;
  readonly #blobs: BlobStore;
  readonly #trees: Trees;
  readonly #sizes: Sizes;
  readonly #failed: (error: unknown) => void;
  readonly #turns = new Turns();

  /** @param failed gets the bugs that end an effect, for operators */
  constructor(tenants: TenantPool, blobs: BlobStore, trees: Trees, sizes: Sizes, failed: (error: unknown) => void) {
    this.#failed = failed;
    this.#tenants = tenants;
    this.#blobs = blobs;
    this.#trees = trees;
    this.#sizes = sizes;
  }

  /** Resolves with what became of the ending; `again` where the head kept moving. */
  async land(facts: AttemptFacts, effect: CheckedDelta, end: EndOnHead): Promise<EndVerdict> {
    return await this.#turns.take(workspaceOf(facts), facts.head, (head, left) =>
      this.#land(facts, effect, end, head, left),
    );
  }

  async #land(
    facts: AttemptFacts,
    effect: CheckedDelta,
    end: EndOnHead,
    newest: Head,
    left: (head: Head) => void,
  ): Promise<EndVerdict> {
    let head = newest;
    for (let tries = TRIES_MAX; tries > 0; tries -= 1) {
      const change = await this.#newHead(facts, effect, head);
      const verdict = await this.#end(facts, effect, end, change);
      const moved = 'code' in change ? null : change.new_snapshot_id;
      if (verdict.verdict === 'done' && moved !== null) left({ snapshot_id: moved, seq: head.seq + 1 });
      if (verdict.verdict !== 'again' || verdict.head === undefined) return verdict;
      head = verdict.head;
    }
    return { verdict: 'again' };
  }

  /**
   * The ending; where that is refused for a quota, the end that says so. `again` with the same head once something was
   * counted that hadn't been.
   */
  async #end(
    { operation: { tenant_id } }: AttemptFacts,
    { delta }: CheckedDelta,
    end: EndOnHead,
    change: HeadChange | EndingFault,
  ): Promise<EndVerdict> {
    try {
      return await end(change);
    } catch (error) {
      if (error instanceof Fault && error.code === 'workspace.quota')
        return await end(endingFault(error.code, error.detail, quotaHint(delta)));
      if (!isUncounted(error) || 'code' in change) throw error;
      await this.#sizes.count(tenant_id);
      return { verdict: 'again', head: { snapshot_id: change.snapshot_id, seq: change.seq } };
    }
  }

  /** The state that the effect leads to on this head, or why it can't be there. */
  async #newHead(
    { operation }: AttemptFacts,
    { delta, contents }: CheckedDelta,
    head: Head,
  ): Promise<HeadChange | EndingFault> {
    const unmet = await decidePreconditions(
      this.#trees,
      operation,
      head.snapshot_id,
      await readVersions(this.#tenants, operation),
    );
    if (unmet !== null) return endingFault(unmet.code, unmet.message, unmet.hint);
    if (delta.changes.length === 0) return { ...head, new_snapshot_id: null, delta_id: null };
    try {
      return await makeNewHead(this.#blobs, operation.tenant_id, { delta, contents }, head);
    } catch (error) {
      if (error instanceof Fault && ON_THE_HEAD.has(error.code))
        return endingFault(error.code, error.detail, error.code === 'workspace.conflict' ? CONFLICT_HINT : null);
      return bugEnding(error, this.#failed);
    }
  }
}

function workspaceOf({ operation }: AttemptFacts): string {
  if (operation.workspace_id === null)
    throw new Error(`operation \`${operation.operation_id}\` has an attempt without a workspace`);
  return operation.workspace_id;
}
