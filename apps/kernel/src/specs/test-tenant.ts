// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import type { AuditRecord, Budgets, CapabilityToken, Change, FileState, Grant, ProposedCall } from '@writ/contract';
import type { connect } from '@writ/database';
import { refOf } from '@writ/blobs';
import { copyOperations } from '@writ/testing';
import { ancestorsOf, applyDelta, deltaOf, emptyTree, parsePath, snapshotIdOf } from '@writ/workspace';
import { newTenantKeys } from '../evidence/payload/index.ts';
import { newId } from '@writ/nest-kit';
import type { OperationRow } from '../foundation/rows/operation-row.ts';

export type Admin = Awaited<ReturnType<typeof connect>>;

const YEAR_MS = 365 * 24 * 3600 * 1000;

/** A tenant with an agent and a workspace of a few files, inserted by the database's administrator. */
export class TestTenant {
  readonly tenantId = newId('tenant');
  readonly agentId = newId('agent');
  readonly workspaceId = newId('workspace');
  readonly keyId = newId('apiKey');
  head = '';
  readonly #files = new Map<string, FileState>();
  readonly #admin: Admin;
  readonly #blobs: BlobStore;

  constructor(admin: Admin, blobs: BlobStore) {
    this.#admin = admin;
    this.#blobs = blobs;
  }

  static async create(admin: Admin, blobs: BlobStore, masterKey: Buffer): Promise<TestTenant> {
    const tenant = new TestTenant(admin, blobs);
    const keys = newTenantKeys(masterKey, tenant.tenantId);
    await admin.query('INSERT INTO kernel.tenant (tenant_id, name, data_key, finger_key) VALUES ($1, $2, $3, $4)', [
      tenant.tenantId,
      'spec',
      keys.data_key,
      keys.finger_key,
    ]);
    await admin.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
      tenant.agentId,
      tenant.tenantId,
      'spec',
    ]);
    const empty = emptyTree();
    await blobs.putMany(
      tenant.tenantId,
      empty.nodes.map(({ bytes }) => bytes),
    );
    tenant.head = snapshotIdOf(empty.root);
    await admin.query(
      'INSERT INTO kernel.workspace (workspace_id, tenant_id, name, head_snapshot_id) VALUES ($1, $2, $3, $4)',
      [tenant.workspaceId, tenant.tenantId, 'spec', tenant.head],
    );
    return tenant;
  }

  /** Writes files (and links, where the text begins with `->`) into the workspace as its new head. */
  async write(files: Readonly<Record<string, string>>): Promise<void> {
    const blobs = this.#blobs;
    for (const [path, text] of Object.entries(files)) {
      const isLink = text.startsWith('->');
      const { sha256, size } = await blobs.put(this.tenantId, Buffer.from(isLink ? text.slice(2) : text));
      for (const above of ancestorsOf(parsePath(path)))
        this.#files.set(above, { kind: 'dir', mode: null, sha256: null, size: 0 });
      this.#files.set(
        path,
        isLink ? { kind: 'symlink', mode: null, sha256, size } : { kind: 'file', mode: '644', sha256, size },
      );
    }
    const { root } = emptyTree();
    const delta = deltaOf(
      snapshotIdOf(root),
      [...this.#files].map(([path, after]): Change => ({ path, before: null, after })),
    );
    const applied = await applyDelta((sha256) => blobs.get(this.tenantId, sha256), root, delta);
    await blobs.putMany(
      this.tenantId,
      applied.nodes.map(({ bytes }) => bytes),
    );
    this.head = snapshotIdOf(applied.root);
    await this.#admin.query(
      `WITH moved AS (UPDATE kernel.workspace SET head_snapshot_id = $2, head_seq = head_seq + 1 WHERE workspace_id = $1 RETURNING head_seq)
       INSERT INTO kernel.snapshot (workspace_id, seq, tenant_id, snapshot_id, kind) SELECT $1, head_seq, $3, $2, 'changed' FROM moved`,
      [this.workspaceId, this.head, this.tenantId],
    );
  }

  /** Issues a token: by default with all rights of the agent. */
  async token(grant: Partial<Grant> = {}, more: Partial<CapabilityToken> = {}): Promise<string> {
    const id = newId('token');
    const whole: Grant = {
      tools: ['*'],
      fs: [{ path: '', read: true, write: true }],
      net: [],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + YEAR_MS,
      ...grant,
    };
    const parent = more.parent_id ?? null;
    const { rows } = await this.#admin.query<{ chain: string[] }>(
      'SELECT chain FROM kernel.token WHERE capability_token_id = $1',
      [parent],
    );
    await this.#admin.query(
      `INSERT INTO kernel.token (capability_token_id, tenant_id, agent_id, parent_id, chain, workspace_id, grant_json, issuer)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        id,
        this.tenantId,
        more.agent_id ?? this.agentId,
        parent,
        [...(rows[0]?.chain ?? []), id],
        more.workspace_id ?? null,
        whole,
        this.keyId,
      ],
    );
    for (const [dimension, bound] of Object.entries(whole.budgets)) {
      await this.#admin.query(
        'INSERT INTO kernel.budget (capability_token_id, dimension, tenant_id, bound) VALUES ($1, $2, $3, $4)',
        [id, dimension, this.tenantId, bound],
      );
    }
    return id;
  }

  /** A call that reads a file by default. */
  call(token: string, more: Partial<ProposedCall> = {}): ProposedCall {
    return {
      v: 1,
      operation_id: newId('operation'),
      tenant_id: this.tenantId,
      agent_id: this.agentId,
      proposed_by: this.keyId,
      tool_id: 'fs.read',
      args: { path: 'a.txt' },
      args_ref: null,
      capability_token_id: token,
      workspace_id: this.workspaceId,
      session_id: null,
      session_mode: 'interactive',
      max_autonomy: null,
      task_class: 'general',
      idempotency_key: null,
      precondition_refs: [],
      provenance: { source: 'spec' },
      deadline: null,
      dry_run: false,
      ...more,
    };
  }

  /** A call that writes a file, by default with a new idempotency key. */
  writeCall(token: string, more: Partial<ProposedCall> = {}): ProposedCall {
    return this.call(token, {
      tool_id: 'fs.write',
      args: { path: 'a.txt', content: 'x' },
      idempotency_key: newId('request'),
      ...more,
    });
  }

  /** Another workspace of the tenant, as empty as the first one was. */
  async secondWorkspace(): Promise<string> {
    const id = newId('workspace');
    await this.#admin.query(
      'INSERT INTO kernel.workspace (workspace_id, tenant_id, name, head_snapshot_id) VALUES ($1, $2, $3, $4)',
      [id, this.tenantId, 'second', snapshotIdOf(emptyTree().root)],
    );
    return id;
  }

  async row(operationId: string): Promise<OperationRow> {
    const { rows } = await this.#admin.query<{ row: OperationRow }>(
      'SELECT to_jsonb(o) AS row FROM kernel.operation o WHERE operation_id = $1',
      [operationId],
    );
    return rows[0]?.row as OperationRow;
  }

  async countOf(
    table: 'operation' | 'outbox' | 'idempotency' | 'approval' | 'payload' | 'secret' | 'kept_output',
  ): Promise<number> {
    const { rows } = await this.#admin.query<{ n: number }>(
      `SELECT count(*) AS n FROM kernel.${table} WHERE tenant_id = $1`,
      [this.tenantId],
    );
    return rows[0]?.n ?? 0;
  }

  /** Records waiting for the ledger, oldest first. */
  async records(): Promise<AuditRecord[]> {
    const { rows } = await this.#admin.query<{ payload: Buffer }>(
      'SELECT payload FROM kernel.outbox WHERE tenant_id = $1 ORDER BY record_id',
      [this.tenantId],
    );
    return rows.map(({ payload }) => (JSON.parse(payload.toString()) as { predicate: AuditRecord }).predicate);
  }

  async budgetOf(token: string): Promise<Record<string, { reserved: number; used: number; bound: number }>> {
    const { rows } = await this.#admin.query<{
      dimension: keyof Budgets;
      reserved: number;
      used: number;
      bound: number;
    }>('SELECT dimension, reserved, used, bound FROM kernel.budget WHERE capability_token_id = $1', [token]);
    return Object.fromEntries(rows.map(({ dimension, ...amounts }) => [dimension, amounts]));
  }

  async query(sql: string, values: unknown[] = []): Promise<void> {
    await this.#admin.query(sql, values);
  }

  /** Inserts copies of calls, see `copyOperations`. */
  async copyOperations(change: string, from: string, values: unknown[] = []): Promise<void> {
    await copyOperations(async (sql, given) => (await this.#admin.query(sql, given)).rows, change, from, values);
  }
}

/** The hash of a text as a content. */
export const hashOf = (text: string): string => refOf(Buffer.from(text)).sha256;
