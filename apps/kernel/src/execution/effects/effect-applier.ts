// SPDX-License-Identifier: Apache-2.0
import { Fault, type Delta, type FaultCode } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import type { AttemptFacts } from '../attempts/index.ts';
import { outcomeFault, type OutcomeFault, type HeadChange } from '../outcomes/index.ts';
import { decidePreconditions, readVersions } from '../../judging/judgement/index.ts';
import { isSizeUnknown } from '../../foundation/database/kernel-errors.ts';
import type { Sizes } from '../../foundation/workspace/sizes.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';
import type { EndVerdict, Head } from '../../foundation/rows/attempt-rows.ts';
import { bugFault } from './bug-fault.ts';
import { makeNewHead } from './new-head.ts';
import { quotaHint } from './quota-hint.ts';
import type { Contents } from './staged-effect.ts';
import { WorkspaceTurns } from './workspace-turns.ts';

/**
 * Heads tried per reading. Commits of this replica take turns, so another try means that another replica was faster.
 */
const TRIES_MAX = 8;
/** Faults that make an effect impossible to commit on a head, as opposed to those of our own store. */
const ON_THE_HEAD: ReadonlySet<FaultCode> = new Set<FaultCode>(['workspace.conflict', 'effect.invalid']);

const CONFLICT_HINT = 'read the newest state and propose the call anew, with a new `idempotency_key`';
/** The container of a call holds what it may read, and a directory that it removes may hold more. */
const BASE_HINT = 'a directory may hold what the call may not reach: leave such a directory where it is';

/** An effect that was checked and may commit. */
export interface CheckedDelta {
  readonly delta: Delta;
  /** contents that aren't stored yet, by hash */
  readonly contents: Contents;
}

/**
 * Writes an outcome with the new head, or with the reason why the effect can't be applied there. Returns whether that
 * worked: `again` with a head requires another try.
 */
export type EndOnHead = (change: HeadChange | OutcomeFault) => Promise<EndVerdict>;

/** Applies checked effects to the head of their workspace, whichever it is by then. */
export class EffectApplier {
  readonly #tenants: TenantPool;
  readonly #blobs: BlobStore;
  readonly #trees: Trees;
  readonly #sizes: Sizes;
  readonly #failed: (error: unknown) => void;
  readonly #turns = new WorkspaceTurns();

  /** @param failed receives the bugs that end an effect, for operators */
  constructor(tenants: TenantPool, blobs: BlobStore, trees: Trees, sizes: Sizes, failed: (error: unknown) => void) {
    this.#failed = failed;
    this.#tenants = tenants;
    this.#blobs = blobs;
    this.#trees = trees;
    this.#sizes = sizes;
  }

  /** Resolves with the verdict on the outcome; `again` where the head kept moving. */
  async apply(facts: AttemptFacts, effect: CheckedDelta, end: EndOnHead): Promise<EndVerdict> {
    return await this.#turns.run(workspaceOf(facts), facts.head, (head, onMoved) =>
      this.#apply(facts, effect, end, head, onMoved),
    );
  }

  async #apply(
    facts: AttemptFacts,
    effect: CheckedDelta,
    end: EndOnHead,
    newest: Head,
    onMoved: (head: Head) => void,
  ): Promise<EndVerdict> {
    let head = newest;
    for (let tries = TRIES_MAX; tries > 0; tries -= 1) {
      const change = await this.#newHead(facts, effect, head);
      const verdict = await this.#end(facts, effect, end, change);
      const moved = 'code' in change ? null : change.new_snapshot_id;
      if (verdict.verdict === 'done' && moved !== null) onMoved({ snapshot_id: moved, seq: head.seq + 1 });
      if (verdict.verdict !== 'again' || verdict.head === undefined) return verdict;
      head = verdict.head;
    }
    return { verdict: 'again' };
  }

  /**
   * Writes the outcome; where a quota refuses it, an outcome with that fault instead. `again` with the same head once a
   * size was counted that hadn't been.
   */
  async #end(
    { operation: { tenant_id } }: AttemptFacts,
    { delta }: CheckedDelta,
    end: EndOnHead,
    change: HeadChange | OutcomeFault,
  ): Promise<EndVerdict> {
    try {
      return await end(change);
    } catch (error) {
      if (error instanceof Fault && error.code === 'workspace.quota')
        return await end(outcomeFault(error.code, error.detail, quotaHint(delta)));
      if (!isSizeUnknown(error) || 'code' in change) throw error;
      await this.#sizes.count(tenant_id);
      return { verdict: 'again', head: { snapshot_id: change.snapshot_id, seq: change.seq } };
    }
  }

  /** The state that the effect leads to on this head, or why it can't be applied there. */
  async #newHead(
    { operation }: AttemptFacts,
    { delta, contents }: CheckedDelta,
    head: Head,
  ): Promise<HeadChange | OutcomeFault> {
    const unmet = await decidePreconditions(
      this.#trees,
      operation,
      head.snapshot_id,
      await readVersions(this.#tenants, operation),
    );
    if (unmet !== null) return outcomeFault(unmet.code, unmet.message, unmet.hint);
    if (delta.changes.length === 0) return { ...head, new_snapshot_id: null, delta_id: null };
    try {
      return await makeNewHead(this.#blobs, operation.tenant_id, { delta, contents }, head);
    } catch (error) {
      if (error instanceof Fault && ON_THE_HEAD.has(error.code))
        return outcomeFault(error.code, error.detail, error.code === 'workspace.conflict' ? CONFLICT_HINT : BASE_HINT);
      return bugFault(error, this.#failed);
    }
  }
}

function workspaceOf({ operation }: AttemptFacts): string {
  if (operation.workspace_id === null)
    throw new Error(`operation \`${operation.operation_id}\` has an attempt without a workspace`);
  return operation.workspace_id;
}
