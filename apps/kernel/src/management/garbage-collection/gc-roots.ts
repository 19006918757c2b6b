// INVARIANT (what is named stays): this file reads every durable reference to a content, the roots of the garbage
// collection. A spec compares the columns of the schema with what this file reads, so that a new column with references
// is not forgotten.
import type { BlobRef, TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { parseNode, parseSnapshotId } from '@writ/workspace';
import { inSlices, type TaskRunner } from '@writ/worker-pool';
import { openStaged } from '../../execution/effects/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { ManagementTasks } from '../worker-tasks.ts';
import type { Tenancy } from '../../foundation/tenancy/index.ts';
import { requireSkill } from '../../judging/definitions/skills.ts';
import { hashesOfDelta } from './delta-hashes.ts';
import { MarkSet } from './mark-set.ts';

/** Rows read at once: a page of some hundred kilobytes. */
const ROWS = 500;
/** Directories read at once. */
const NODES = 100;
/** The longest delta that is read on the event loop, in bytes: 1 ms of parsing. */
const INLINE_DELTA_BYTES_MAX = 64 * 1024;
/**
 * Maximum time to read a delta in a worker thread, in milliseconds. The largest delta takes a second, and more on a
 * busy processor.
 */
const DELTA_WALL_MS = 15_000;

/** The position of a call among the calls of its tenant. */
interface CallPosition {
  readonly created_at: bigint;
  readonly operation_id: string;
}

/**
 * Reads all references to contents of a tenant into a mark set. Anything unreadable ends the reading: then reachability
 * is unknown, and nothing may be deleted.
 */
export class GcRoots {
  readonly #tenancy: Tenancy;
  readonly #blobs: BlobStore;
  readonly #vault: TenantVault;
  readonly #work: TaskRunner<ManagementTasks>;

  /** @param blobs MUST NOT be a shared cache, since a whole history is read through it */
  constructor(tenancy: Tenancy, blobs: BlobStore, vault: TenantVault, work: TaskRunner<ManagementTasks>) {
    this.#tenancy = tenancy;
    this.#blobs = blobs;
    this.#vault = vault;
    this.#work = work;
  }

  /**
   * Reads calls first and states after them. An effect that moves from its call to a history meanwhile is found in at
   * least one of the two.
   */
  async of(tenantId: TenantId): Promise<MarkSet> {
    const marks = new MarkSet();
    await this.#markCalls(tenantId, marks);
    await this.#markHistories(tenantId, marks);
    await this.#markSkills(tenantId, marks);
    return marks;
  }

  async #markCalls(tenantId: TenantId, marks: MarkSet): Promise<void> {
    let after: CallPosition | null = null;
    do {
      const page: CallPosition[] = await this.#callsBefore(tenantId, after);
      await this.#markPage(
        tenantId,
        page.map(({ operation_id }) => operation_id),
        marks,
      );
      after = page.length < ROWS ? null : (page.at(-1) ?? null);
    } while (after !== null);
  }

  /** A page of calls, the newest first; null begins at the newest of all. */
  async #callsBefore(tenantId: TenantId, after: CallPosition | null): Promise<CallPosition[]> {
    return await this.#tenancy.within(tenantId, (rows) =>
      rows.operation.findMany({
        where: {
          tenant_id: tenantId,
          ...(after === null
            ? {}
            : {
                OR: [
                  { created_at: { lt: after.created_at } },
                  { created_at: after.created_at, operation_id: { lt: after.operation_id } },
                ],
              }),
        },
        orderBy: [{ created_at: 'desc' }, { operation_id: 'desc' }],
        take: ROWS,
        select: { created_at: true, operation_id: true },
      }),
    );
  }

  /**
   * Reads staged effects before ended calls. An effect that is committed meanwhile is found in at least one of the two.
   */
  async #markPage(tenantId: TenantId, ids: string[], marks: MarkSet): Promise<void> {
    const payloads = await this.#tenancy.within(tenantId, (rows) =>
      rows.payload.findMany({
        where: { operation_id: { in: ids } },
        select: { operation_id: true, args_ref: true, staged: true },
      }),
    );
    const ended = await this.#tenancy.within(tenantId, (rows) =>
      rows.operation.findMany({
        where: { operation_id: { in: ids } },
        select: { result_ref: true, commit_delta_id: true },
      }),
    );
    for (const { operation_id, args_ref, staged } of payloads) {
      markRef(marks, args_ref);
      if (staged !== null) await this.#markStaged(tenantId, operation_id, Buffer.from(staged), marks);
    }
    for (const { result_ref, commit_delta_id } of ended) {
      markRef(marks, result_ref);
      markDelta(marks, commit_delta_id);
    }
    const outputs = await this.#tenancy.within(tenantId, (rows) =>
      rows.kept_output.findMany({
        where: { operation_id: { in: ids } },
        select: { stdout_ref: true, stderr_ref: true },
      }),
    );
    for (const { stdout_ref, stderr_ref } of outputs) for (const ref of [stdout_ref, stderr_ref]) markRef(marks, ref);
  }

  async #markStaged(tenantId: TenantId, operationId: string, sealed: Buffer, marks: MarkSet): Promise<void> {
    const { delta_ref, result_ref, requests_ref } = await openStaged(
      this.#vault,
      tenantId,
      operationId,
      sealed.toString('base64'),
    );
    for (const ref of [delta_ref, result_ref, requests_ref]) markRef(marks, ref);
    const delta = await this.#blobs.get(tenantId, delta_ref.sha256);
    const hashes =
      delta.byteLength <= INLINE_DELTA_BYTES_MAX
        ? hashesOfDelta(delta)
        : await this.#work.run('delta.hashes', delta, { tenantId, wallMs: DELTA_WALL_MS });
    for await (const sha256 of inSlices(hashes)) marks.add(sha256);
  }

  async #markHistories(tenantId: TenantId, marks: MarkSet): Promise<void> {
    let workspace = '';
    let seq = -1n;
    for (;;) {
      const page = await this.#tenancy.within(tenantId, (rows) =>
        rows.snapshot.findMany({
          where: {
            tenant_id: tenantId,
            OR: [{ workspace_id: { gt: workspace } }, { workspace_id: workspace, seq: { gt: seq } }],
          },
          orderBy: [{ workspace_id: 'asc' }, { seq: 'asc' }],
          take: ROWS,
          select: { workspace_id: true, seq: true, snapshot_id: true, delta_id: true },
        }),
      );
      for (const { snapshot_id, delta_id } of page) {
        markDelta(marks, delta_id);
        await this.#markTree(tenantId, parseSnapshotId(snapshot_id), marks);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < ROWS) break;
      ({ workspace_id: workspace, seq } = last);
    }
    // A head is the newest state of its history. It is read anyway, as a last check.
    const heads = await this.#tenancy.within(tenantId, (rows) =>
      rows.workspace.findMany({ where: { tenant_id: tenantId }, select: { head_snapshot_id: true } }),
    );
    for (const { head_snapshot_id } of heads) await this.#markTree(tenantId, parseSnapshotId(head_snapshot_id), marks);
  }

  /**
   * Reads every stored version. A tenant has at most some thousand, with short contents. They are read name by name.
   */
  async #markSkills(tenantId: TenantId, marks: MarkSet): Promise<void> {
    const names = await this.#tenancy.within(tenantId, (rows) =>
      rows.skill.findMany({ where: { tenant_id: tenantId }, distinct: ['name'], select: { name: true } }),
    );
    for (const { name } of names) {
      const versions = await this.#tenancy.within(tenantId, (rows) =>
        rows.skill.findMany({ where: { tenant_id: tenantId, name }, select: { contents: true, digest: true } }),
      );
      for (const { contents, digest } of versions)
        for (const { sha256 } of requireSkill(contents, digest).files) marks.add(sha256);
    }
  }

  /** Reads only directories that no earlier state has, so the cost of a history is the size of its changes. */
  async #markTree(tenantId: TenantId, root: string, marks: MarkSet): Promise<void> {
    const pending = marks.addDirectory(root) ? [root] : [];
    while (pending.length > 0) {
      const nodes = await this.#blobs.getMany(tenantId, pending.splice(-NODES));
      for await (const bytes of inSlices(nodes.values())) {
        for (const { kind, sha256 } of parseNode(bytes)) {
          if (kind !== 'dir') marks.add(sha256);
          else if (marks.addDirectory(sha256)) pending.push(sha256);
        }
      }
    }
  }
}

function markRef(marks: MarkSet, ref: unknown): void {
  if (ref !== null && ref !== undefined) marks.add((ref as BlobRef).sha256);
}

/** The id of a delta is the hash of its bytes. */
function markDelta(marks: MarkSet, deltaId: string | null): void {
  if (deltaId !== null) marks.add(deltaId.slice('delta_'.length));
}
