// SPDX-License-Identifier: Apache-2.0
import type { ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { setOf, type PolicyKernel } from './test-policies.ts';
import { TestReplica, type QueueChecks } from './test-replica.ts';
import type { TestTenant } from './test-tenant.ts';

const LEAK =
  '@id("leak") @reason("secrets were read") @would_pass("a session that read none") forbid (principal, action in Action::"write", resource) when { context.labels.contains("secret_read") };';
const CLOSED =
  '@id("closed") @reason("nothing is written") @would_pass("a call that reads") forbid (principal, action in Action::"write", resource);';

const TWICE = setOf('twice', '', {
  history: [{ id: 'twice', kind: 'at_most', tools: ['fs.*'], n: 2, then: 'refuse', reason: 'twice is enough' }],
});
const DEPLOYS = setOf('deploys', '', {
  history: [
    {
      id: 'deploys',
      kind: 'at_most',
      tools: ['fs.*'],
      task_classes: ['deploy'],
      n: 1,
      then: 'refuse',
      reason: 'once is enough',
    },
  ],
});

/** How a scene differs from one with a chain of two tokens whose replica checks the queue at every call. */
export interface Setting {
  readonly monotonic?: () => number;
  readonly queueChecks?: QueueChecks;
  /** the token that calls are made with has no parent */
  readonly isRootAlone?: boolean;
}

/** How often a scene is set up before a test fails. */
const TRIES_MAX = 5;

/** A tenant whose call was admitted twice: the second time on cached facts, where the replica caches them. */
export class Scene {
  readonly replica: TestReplica;
  readonly tenant: TestTenant;
  root = '';
  leaf = '';
  first: ProposedCall | undefined;

  readonly #kernel: PolicyKernel;

  private constructor(kernel: PolicyKernel, tenant: TestTenant, replica: TestReplica) {
    this.#kernel = kernel;
    this.tenant = tenant;
    this.replica = replica;
  }

  /**
   * Set up anew where the machine paused between the two calls: cached facts are then too old to be asserted, and are
   * rightly read again.
   */
  static async open(kernel: PolicyKernel, caches: boolean, setting: Setting = {}): Promise<Scene> {
    const reads: (readonly number[])[] = [];
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const scene = await Scene.#set(kernel, caches, setting);
      reads.push([await scene.#admit(scene.first as ProposedCall), await scene.#admit(scene.call())]);
      if (reads.at(-1)?.join() === (caches ? '1,0' : '1,1')) return scene;
    }
    throw new Error(`the facts of two calls like each other were read ${JSON.stringify(reads)} times`);
  }

  static async #set(
    kernel: PolicyKernel,
    caches: boolean,
    { monotonic, queueChecks, isRootAlone = false }: Setting,
  ): Promise<Scene> {
    const scene = new Scene(kernel, await kernel.newTenant(), new TestReplica(kernel, caches, monotonic, queueChecks));
    await scene.tenant.write({ 'src/a.txt': 'hello', '.env': 'KEY=1' });
    await kernel.install(scene.tenant, setOf('open', LEAK));
    for (const set of [setOf('closed', CLOSED), TWICE, DEPLOYS]) {
      await kernel.putSet(scene.tenant, set);
    }
    const fs = [{ path: 'src', read: true, write: true }];
    scene.root = await scene.tenant.token({
      budgets: { calls: 10, wall_ms: 1_000_000 },
      ...(isRootAlone ? { fs } : {}),
    });
    scene.leaf = isRootAlone
      ? scene.root
      : await scene.tenant.token({ budgets: { calls: 10 }, fs }, { parent_id: scene.root });
    scene.first = scene.call();
    return scene;
  }

  /** How often facts were read for a call that was admitted. */
  async #admit(call: ProposedCall): Promise<number> {
    // The ledger has logged all records: otherwise the waiting ones are counted.
    await this.tenant.query('DELETE FROM kernel.outbox WHERE tenant_id = $1', [this.tenant.tenantId]);
    expect((await this.replica.run(call)).state).toBe('admitted');
    return this.replica.readsSinceLast();
  }

  call(more: Partial<ProposedCall> = {}): ProposedCall {
    return this.tenant.writeCall(this.leaf, { session_id: 'one', args: { path: 'src/a.txt', content: 'x' }, ...more });
  }

  /** Activates a stored set, as one more row. */
  async activate(name: string): Promise<void> {
    await this.tenant.query(
      `INSERT INTO kernel.policy_activation (tenant_id, seq, policy_hash, activated_by)
      SELECT tenant_id, (SELECT max(seq) + 1 FROM kernel.policy_activation WHERE tenant_id = $1), policy_hash, 'spec' FROM kernel.policy_set WHERE tenant_id = $1 AND name = $2`,
      [this.tenant.tenantId, name],
    );
  }

  async freeze(scope: string, subject: string): Promise<void> {
    await this.tenant.query(
      `INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by) VALUES ($4, $1, $2, $3, 'stop', 'spec')`,
      [this.tenant.tenantId, scope, subject, newId('freeze')],
    );
  }

  /** Of the deployment: `thawAll` MUST follow. */
  async freezeAll(): Promise<void> {
    await this.#kernel.admin.query(
      `INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by) VALUES ($1, '*', 'all', '*', 'stop', 'spec')`,
      [newId('freeze')],
    );
  }

  static async thawAll({ admin }: PolicyKernel): Promise<void> {
    await admin.query(`UPDATE kernel.freeze SET lifted_at = 1 WHERE tenant_id = '*'`);
  }

  async thaw(): Promise<void> {
    await this.tenant.query('UPDATE kernel.freeze SET lifted_at = 1 WHERE tenant_id = $1', [this.tenant.tenantId]);
  }

  async label(scope: string, id: string): Promise<void> {
    await this.tenant.query(
      `INSERT INTO kernel.label (tenant_id, scope, id, label, operation_id) VALUES ($1, $2, $3, 'secret_read', 'op_x') ON CONFLICT DO NOTHING`,
      [this.tenant.tenantId, scope, id],
    );
  }

  /** Calls like the first one, that ran and failed. */
  async fail(times: number): Promise<void> {
    await this.tenant.copyOperations(
      `jsonb_build_object('operation_id', o.operation_id || '_' || $3::text || n, 'created_at', kernel.now_ms() + n)`,
      'kernel.operation o, generate_series(1, $2) n WHERE o.operation_id = $1',
      [this.first?.operation_id, times, newId('operation')],
    );
    await this.tenant.query(
      `UPDATE kernel.operation SET state = 'rolled_back' WHERE operation_id LIKE $1 || '_%' AND state = 'admitted'`,
      [this.first?.operation_id],
    );
  }

  async revoke(token: string): Promise<void> {
    await this.tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [token]);
  }

  async expire(token: string): Promise<void> {
    await this.tenant.query(
      `UPDATE kernel.token SET grant_json = jsonb_set(grant_json, '{expires_at}', '1') WHERE capability_token_id = $1`,
      [token],
    );
  }

  /** Calls like the first one, that destroyed something. */
  async destroy(times: number): Promise<void> {
    await this.tenant.copyOperations(
      `jsonb_build_object('operation_id', o.operation_id || '_' || n, 'risk_basis', ARRAY['delete.tree'], 'created_at', kernel.now_ms())`,
      'kernel.operation o, generate_series(1, $2) n WHERE o.operation_id = $1',
      [this.first?.operation_id, times],
    );
  }

  async spend(token: string, dimension: string, left: number): Promise<void> {
    await this.tenant.query(
      'UPDATE kernel.budget SET used = greatest(bound - reserved - $3, 0) WHERE capability_token_id = $1 AND dimension = $2',
      [token, dimension, left],
    );
  }
}
