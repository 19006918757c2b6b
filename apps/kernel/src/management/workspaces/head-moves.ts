// SPDX-License-Identifier: Apache-2.0
import { setTimeout } from 'node:timers/promises';
import { Fault, type Caller, type Delta, type SnapshotKind, type WorkspaceView } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { sha256Hex } from '@writ/digest';
import { pacer } from '@writ/worker-pool';
import {
  encodingDelta,
  growthOf,
  runWithPauses,
  snapshotIdOf,
  type Applied,
  type NodeReader,
  type TreeSize,
} from '@writ/workspace';
import type { Changes } from '../../evidence/changes/index.ts';
import { quotaHint } from '../../execution/effects/index.ts';
import { isSizeUnknown } from '../../foundation/database/kernel-errors.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { Sizes } from '../../foundation/workspace/sizes.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';
import { callIn, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import { KeyedQueue } from './keyed-queue.ts';
import { findWorkspace, viewOfWorkspace, type StoredWorkspace } from './workspace-row.ts';

/**
 * Maximum number of tries. Changes of this replica are serialized, so another try means that a commit or another
 * replica was faster.
 */
const TRIES_MAX = 24;
/**
 * Longest pause before the second try, in milliseconds. It grows with each try, so two replicas at the same pace don't
 * keep colliding.
 */
const PAUSE_MS = 4;

/** The next state of a head: its delta, and its nodes that may not be stored yet. */
export interface NextState extends Applied {
  readonly delta: Delta;
}

/**
 * A change of a workspace. `next` computes the next state from the current head, and is called again where the head has
 * changed meanwhile.
 */
export interface HeadMove {
  readonly kind: Exclude<SnapshotKind, 'created' | 'committed'>;
  readonly next: (reader: NodeReader, before: StoredWorkspace) => Promise<NextState>;
}

/** A stored state, with everything that its transaction writes. */
interface Stored {
  readonly before: StoredWorkspace;
  readonly kind: HeadMove['kind'];
  readonly snapshotId: string;
  readonly deltaId: string;
  readonly digest: string;
  readonly growth: TreeSize;
}

/**
 * Moves heads for people. This is no tool call, so it needs no token, but a role and a record. It uses the
 * compare-and-swap of the head that commits use. INVARIANT (all or nothing): the head moves to a state with every
 * change in it, or not at all.
 */
export class HeadMoves {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #blobs: BlobStore;
  readonly #trees: Trees;
  readonly #sizes: Sizes;
  readonly #queue = new KeyedQueue();

  constructor(tenancy: Tenancy, changes: Changes, blobs: BlobStore, trees: Trees, sizes: Sizes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#blobs = blobs;
    this.#trees = trees;
    this.#sizes = sizes;
  }

  /**
   * Resolves once the move and its record are durable. A change without effect is no move and has no record. The caller
   * MUST have checked `workspaceId` as an id.
   * @throws Fault `not_found`, `overloaded` where the head kept changing, `workspace.quota`, and what `next` throws
   */
  async run(caller: Caller, workspaceId: string, { kind, next }: HeadMove): Promise<WorkspaceView> {
    return await this.#queue.run(workspaceId, async () => {
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        if (tries > 0) await setTimeout(Math.random() * PAUSE_MS * tries);
        const before = await this.#tenancy.within(caller.tenant_id, (rows) => findWorkspace(rows, caller, workspaceId));
        const state = await next(this.#trees.reader(caller.tenant_id), before);
        if (state.delta.changes.length === 0) return viewOfWorkspace(before);
        const stored = await this.#store(before, kind, state);
        const view = await this.#move(caller, stored, state.delta);
        if (view !== null) return view;
      }
      throw new Fault('overloaded', 'the workspace kept changing');
    });
  }

  /** The workspace with its new head; null where it must be tried again. */
  async #move(caller: Caller, stored: Stored, delta: Delta): Promise<WorkspaceView | null> {
    try {
      return await this.#changes.make(caller.tenant_id, (rows, now) => moveHead(rows, now, caller, stored));
    } catch (error) {
      if (error instanceof Fault && error.code === 'workspace.quota')
        throw new Fault(error.code, `${error.message}: ${quotaHint(delta)}`, { cause: error });
      if (!isSizeUnknown(error)) throw error;
      await this.#sizes.count(caller.tenant_id);
      return null;
    }
  }

  /** Stored before anything references it. */
  async #store(before: StoredWorkspace, kind: HeadMove['kind'], { delta, root, nodes }: NextState): Promise<Stored> {
    const { id, bytes } = await runWithPauses(encodingDelta(delta), pacer());
    const refs = await this.#blobs.putMany(before.tenant_id, [...nodes.map((node) => node.bytes), bytes]);
    const digest = refs.at(-1)?.sha256 ?? sha256Hex(bytes);
    return { before, kind, snapshotId: snapshotIdOf(root), deltaId: id, digest, growth: growthOf(delta) };
  }
}

/** Moves the head if it is unchanged since it was read. Otherwise returns null, and nothing is written. */
async function moveHead(
  rows: Rows,
  now: number,
  caller: Caller,
  { before, kind, snapshotId, deltaId: delta_id, digest, growth }: Stored,
) {
  // The first of all locks, as in a commit: a new quota applies to every move that begins after it.
  await callIn(rows, kernelSql.holdRules, { tenant: before.tenant_id });
  const { workspace_id, tenant_id, head_snapshot_id, head_seq } = before;
  const after = { head_snapshot_id: snapshotId, head_seq: head_seq + 1, updated_at: now };
  const { count } = await rows.workspace.updateMany({
    where: { workspace_id, tenant_id, head_snapshot_id, head_seq },
    data: {
      ...after,
      sized_seq: after.head_seq,
      files: { increment: growth.files },
      bytes: { increment: growth.bytes },
    },
  });
  if (count === 0) return { value: null, records: [] };
  const made_by = caller.api_key_id;
  await rows.snapshot.createMany({
    data: [
      {
        workspace_id,
        seq: after.head_seq,
        tenant_id,
        snapshot_id: snapshotId,
        parent_snapshot_id: head_snapshot_id,
        delta_id,
        kind,
        made_by,
        created_at: now,
      },
    ],
  });
  return {
    value: viewOfWorkspace({ ...before, ...after }),
    records: [
      {
        kind: 'workspace',
        actor: made_by,
        workspace_id,
        state_snapshot_id: head_snapshot_id,
        new_snapshot_id: snapshotId,
        commit_delta_id: delta_id,
        change: { verb: `workspace_${kind}`, subject: workspace_id, digest },
      },
    ] as const,
  };
}
