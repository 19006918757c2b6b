// INVARIANT (what is named stays): this file reads every durable reference to a content, the roots of the garbage
// collection. A spec compares the columns of the schema with what this file reads, so that a new column with references
// is not forgotten.
import type { BlobRef, TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { parseNode, parseSnapshotId } from '@writ/workspace';
import { inSlices, type Work } from '@writ/worker-pool';
import { openStaged } from '../../execution/effects/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { ManagementTasks } from '../worker-tasks.ts';
import type { Tenancy } from '../../foundation/tenancy/index.ts';
import { requireSkill } from '../../judging/tools/skills.ts';
import { hashesOfDelta } from './delta-hashes.ts';
import { MarkSet } from './mark-set.ts';

/** Rows read at once: a page of some hundred kilobytes. */
const ROWS = 500;
/** Directories read at once. */
const NODES = 100;
/** The longest delta that is read on the event loop, in bytes: 1 ms of parsing. */
const INLINE_DELTA_BYTES_MAX = 64 * 1024;
/** What reading a delta may take in a thread, in milliseconds: the largest takes a second, on a busy processor more. */
const DELTA_WALL_MS = 15_000;

/** Where a call stands among the calls of its tenant. */
interface CallPlace {
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
  readonly #work: Work<ManagementTasks>;

  /** @param blobs not a cache that others rely on: a whole history passes through */
  constructor(tenancy: Tenancy, blobs: BlobStore, vault: TenantVault, work: Work<ManagementTasks>) {
    this.#tenancy = tenancy;
    this.#blobs = blobs;
    this.#vault = vault;
    this.#work = work;
  }

  /**
   * Reads calls first and states after them. An effect that leaves its call for a history meanwhile is found in one of
   * both.
   */
  async of(tenantId: TenantId): Promise<MarkSet> {
    const named = new MarkSet();
    await this.#ofCalls(tenantId, named);
    await this.#ofHistories(tenantId, named);
    await this.#ofSkills(tenantId, named);
    return named;
  }

  async #ofCalls(tenantId: TenantId, named: MarkSet): Promise<void> {
    let after: CallPlace | null = null;
    do {
      const page: CallPlace[] = await this.#callsBefore(tenantId, after);
      await this.#ofPage(
        tenantId,
        page.map(({ operation_id }) => operation_id),
        named,
      );
      after = page.length < ROWS ? null : (page.at(-1) ?? null);
    } while (after !== null);
  }

  /** A page of calls, the newest first; null begins at the newest of all. */
  async #callsBefore(tenantId: TenantId, after: CallPlace | null): Promise<CallPlace[]> {
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

  /** What is staged before what has ended: an effect that is committed meanwhile is met in one of both. */
  async #ofPage(tenantId: TenantId, ids: string[], named: MarkSet): Promise<void> {
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
      addRef(named, args_ref);
      if (staged !== null) await this.#ofStaged(tenantId, operation_id, Buffer.from(staged), named);
    }
    for (const { result_ref, commit_delta_id } of ended) {
      addRef(named, result_ref);
      addDelta(named, commit_delta_id);
    }
    const outputs = await this.#tenancy.within(tenantId, (rows) =>
      rows.kept_output.findMany({
        where: { operation_id: { in: ids } },
        select: { stdout_ref: true, stderr_ref: true },
      }),
    );
    for (const { stdout_ref, stderr_ref } of outputs) for (const ref of [stdout_ref, stderr_ref]) addRef(named, ref);
  }

  async #ofStaged(tenantId: TenantId, operationId: string, sealed: Buffer, named: MarkSet): Promise<void> {
    const { delta_ref, result_ref, requests_ref } = await openStaged(
      this.#vault,
      tenantId,
      operationId,
      sealed.toString('base64'),
    );
    for (const ref of [delta_ref, result_ref, requests_ref]) addRef(named, ref);
    const delta = await this.#blobs.get(tenantId, delta_ref.sha256);
    const hashes =
      delta.byteLength <= INLINE_DELTA_BYTES_MAX
        ? hashesOfDelta(delta)
        : await this.#work.run('delta.hashes', delta, { tenantId, wallMs: DELTA_WALL_MS });
    for await (const sha256 of inSlices(hashes)) named.add(sha256);
  }

  async #ofHistories(tenantId: TenantId, named: MarkSet): Promise<void> {
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
        addDelta(named, delta_id);
        await this.#ofTree(tenantId, parseSnapshotId(snapshot_id), named);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < ROWS) break;
      ({ workspace_id: workspace, seq } = last);
    }
    // A head is the newest state of its history. It is read all the same: this is the last place to find out that it
    // isn't.
    const heads = await this.#tenancy.within(tenantId, (rows) =>
      rows.workspace.findMany({ where: { tenant_id: tenantId }, select: { head_snapshot_id: true } }),
    );
    for (const { head_snapshot_id } of heads) await this.#ofTree(tenantId, parseSnapshotId(head_snapshot_id), named);
  }

  /**
   * Every version that is kept. A tenant has some thousand at most, and what each names is short; they are read name by
   * name.
   */
  async #ofSkills(tenantId: TenantId, named: MarkSet): Promise<void> {
    const names = await this.#tenancy.within(tenantId, (rows) =>
      rows.skill.findMany({ where: { tenant_id: tenantId }, distinct: ['name'], select: { name: true } }),
    );
    for (const { name } of names) {
      const versions = await this.#tenancy.within(tenantId, (rows) =>
        rows.skill.findMany({ where: { tenant_id: tenantId, name }, select: { contents: true, digest: true } }),
      );
      for (const { contents, digest } of versions)
        for (const { sha256 } of requireSkill(contents, digest).files) named.add(sha256);
    }
  }

  /** Goes into directories that no other state has had before: a history costs what was changed in it. */
  async #ofTree(tenantId: TenantId, root: string, named: MarkSet): Promise<void> {
    const wanted = named.open(root) ? [root] : [];
    while (wanted.length > 0) {
      const nodes = await this.#blobs.getMany(tenantId, wanted.splice(-NODES));
      for await (const bytes of inSlices(nodes.values())) {
        for (const { kind, sha256 } of parseNode(bytes)) {
          if (kind !== 'dir') named.add(sha256);
          else if (named.open(sha256)) wanted.push(sha256);
        }
      }
    }
  }
}

function addRef(named: MarkSet, ref: unknown): void {
  if (ref !== null && ref !== undefined) named.add((ref as BlobRef).sha256);
}

/** The id of a delta is the hash of its bytes. */
function addDelta(named: MarkSet, deltaId: string | null): void {
  if (deltaId !== null) named.add(deltaId.slice('delta_'.length));
}
