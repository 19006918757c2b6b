// SPDX-License-Identifier: Apache-2.0
import { setTimeout } from 'node:timers/promises';
import { Fault, LIMITS, type Caller, type Delta, type KernelRequest, type TenantId, type WorkspaceView } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { applyDelta, deltaId, parseSnapshotId, snapshotIdOf } from '@writ/workspace';
import type { Changes } from '../changes/index.ts';
import { badLink, type Trees } from '../store/index.ts';
import { requireId, requireRole, type Rows, type Tenancy } from '../tenancy/index.ts';
import { InTurn } from './in-turn.ts';
import { parseUpload, uploadDelta, type Upload } from './upload-delta.ts';
import { findWorkspace, viewOfWorkspace, type StoredWorkspace } from './workspace-row.ts';

/** Heads tried: uploads of this replica take turns, so another try means that a commit or another replica was faster. */
const TRIES_MAX = 24;
/** Longest pause before the second try, in milliseconds; it grows with each, so that two replicas at the same pace don't always meet alike. */
const PAUSE_MS = 4;

/** A state that is to be the head, with all that its transaction writes. */
interface NewHead {
  readonly before: StoredWorkspace;
  readonly snapshotId: string;
  readonly deltaId: string;
  readonly digest: string;
}

/**
 * Puts files into a workspace and takes them away, for people: no tool call, so no token bounds it; its role and its record do.
 * INVARIANT (all or nothing): the head moves to a state with every change in it, or not at all.
 */
export class ChangeWorkspace {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #blobs: BlobStore;
  readonly #trees: Trees;
  readonly #turns = new InTurn();

  constructor(tenancy: Tenancy, changes: Changes, blobs: BlobStore, trees: Trees) {
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#blobs = blobs;
    this.#trees = trees;
  }

  /** @throws Fault `auth.role`, `not_found`, `overloaded` where the head kept moving, and those of `parseUpload` and `uploadDelta` */
  async run({ caller, workspace_id, changes }: KernelRequest<'workspace.change'>): Promise<WorkspaceView> {
    requireRole(caller, 'admin', 'operator');
    requireId('workspace', workspace_id);
    const upload = parseUpload(changes);
    await this.#verifyContents(caller.tenant_id, upload);
    return await this.#turns.take(workspace_id, async () => {
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        if (tries > 0) await setTimeout(Math.random() * PAUSE_MS * tries);
        const before = await this.#tenancy.within(caller.tenant_id, (rows) => findWorkspace(rows, caller, workspace_id));
        const next = await this.#newHead(before, upload);
        if (next === null) return viewOfWorkspace(before);
        const view = await this.#changes.make(caller.tenant_id, (rows, now) => moveHead(rows, now, caller, next));
        if (view !== null) return view;
      }
      throw new Fault('overloaded', 'the workspace kept changing');
    });
  }

  async #verifyContents(tenantId: TenantId, upload: Upload): Promise<void> {
    const states = [...upload.values()].filter((state) => state !== null);
    const { max, fault } = LIMITS.deltaBytes;
    if (states.reduce((sum, { size }) => sum + size, 0) > max) throw new Fault(fault, `one change of a workspace brings at most ${max} bytes`);
    const named = states.flatMap(({ sha256, size }) => (sha256 === null ? [] : [{ sha256, size }]));
    const there = await this.#blobs.sizes(tenantId, [...new Set(named.map(({ sha256 }) => sha256))]);
    if (named.some(({ sha256, size }) => there.get(sha256) !== size)) throw new Fault('request.malformed', 'the changes name contents that were not stored', { pointer: '/changes' });
    const link = await badLink(this.#blobs, tenantId, [...upload].map(([path, after]) => ({ path, after })));
    if (link !== null) throw new Fault('request.malformed', link, { pointer: '/changes' });
  }

  /** The state that the upload leads to, stored with all that it names; null where it is there already. */
  async #newHead(before: StoredWorkspace, upload: Upload): Promise<NewHead | null> {
    const { tenant_id, head_snapshot_id: base } = before;
    const reader = this.#trees.reader(tenant_id);
    const delta: Delta = await uploadDelta(reader, base, upload);
    if (delta.changes.length === 0) return null;
    const applied = await applyDelta(reader, parseSnapshotId(base), delta);
    const bytes = canonicalBytes(delta);
    await this.#blobs.putMany(tenant_id, [...applied.nodes.map((node) => node.bytes), bytes]);
    return { before, snapshotId: snapshotIdOf(applied.root), deltaId: deltaId(delta), digest: sha256Hex(bytes) };
  }
}

/** Moves the head if it still is where it was seen; otherwise null, and nothing is written. */
async function moveHead(rows: Rows, now: number, caller: Caller, { before, snapshotId, deltaId: delta_id, digest }: NewHead) {
  const { workspace_id, tenant_id, head_snapshot_id, head_seq } = before;
  const after = { head_snapshot_id: snapshotId, head_seq: head_seq + 1, updated_at: now };
  const { count } = await rows.workspace.updateMany({ where: { workspace_id, tenant_id, head_snapshot_id, head_seq }, data: after });
  if (count === 0) return { value: null, records: [] };
  await rows.snapshot.createMany({
    data: [{ workspace_id, seq: after.head_seq, tenant_id, snapshot_id: snapshotId, parent_snapshot_id: head_snapshot_id, delta_id, created_at: now }],
  });
  return {
    value: viewOfWorkspace({ ...before, ...after }),
    records: [{
      kind: 'workspace', actor: caller.api_key_id, workspace_id, state_snapshot_id: head_snapshot_id, new_snapshot_id: snapshotId, commit_delta_id: delta_id,
      change: { verb: 'workspace_changed', subject: workspace_id, digest },
    }] as const,
  };
}
