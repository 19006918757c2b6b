// SPDX-License-Identifier: Apache-2.0
// What an admission remembers of the last one of its kind: it never makes another answer than reading it would.
import type { ProposedCall } from '@writ/contract';
import { openPolicyKernel, setOf, type PolicyKernel } from '../specs/test-policies.ts';
import { TestReplica, type Answer } from '../specs/test-replica.ts';
import type { TestTenant } from '../specs/test-tenant.ts';

const LEAK = '@id("leak") @reason("secrets were read") @would_pass("a session that read none") forbid (principal, action in Action::"write", resource) when { context.labels.contains("secret_read") };';
const CLOSED = '@id("closed") @reason("nothing is written") @would_pass("a call that reads") forbid (principal, action in Action::"write", resource);';

const TWICE = setOf('twice', '', { history: [{ id: 'twice', kind: 'at_most', tools: ['fs.*'], n: 2, then: 'refuse', reason: 'twice is enough' }] });
const DEPLOYS = setOf('deploys', '', { history: [{ id: 'deploys', kind: 'at_most', tools: ['fs.*'], task_classes: ['deploy'], n: 1, then: 'refuse', reason: 'once is enough' }] });

let kernel: PolicyKernel;
beforeAll(async () => { kernel = await openPolicyKernel(); }, 60_000);
afterAll(() => kernel.close());

/** A tenant whose call was admitted twice: the second time on what was remembered, where the replica remembers. */
class Scene {
  readonly replica: TestReplica;
  readonly tenant: TestTenant;
  root = '';
  leaf = '';
  first: ProposedCall | undefined;

  private constructor(tenant: TestTenant, replica: TestReplica) {
    this.tenant = tenant;
    this.replica = replica;
  }

  static async open(remembers: boolean, monotonic?: () => number): Promise<Scene> {
    const scene = new Scene(await kernel.newTenant(), new TestReplica(kernel, remembers, monotonic));
    await scene.tenant.write({ 'src/a.txt': 'hello', '.env': 'KEY=1' });
    await kernel.install(scene.tenant, setOf('open', LEAK));
    for (const set of [setOf('closed', CLOSED), TWICE, DEPLOYS]) {
      await kernel.putSet(scene.tenant, set);
    }
    scene.root = await scene.tenant.token({ budgets: { calls: 10, wall_ms: 1_000_000 } });
    scene.leaf = await scene.tenant.token({ budgets: { calls: 10 }, fs: [{ path: 'src', read: true, write: true }] }, { parent_id: scene.root });
    scene.first = scene.call();
    for (const [call, reads] of [[scene.first, 1], [scene.call(), remembers ? 0 : 1]] as const) {
      // A log that follows, as one does: else what waits for it is counted.
      await scene.tenant.query('DELETE FROM kernel.outbox WHERE tenant_id = $1', [scene.tenant.tenantId]);
      expect((await scene.replica.run(call)).state).toBe('admitted');
      expect(scene.replica.takeReads()).toBe(reads);
    }
    return scene;
  }

  call(more: Partial<ProposedCall> = {}): ProposedCall {
    return this.tenant.writeCall(this.leaf, { session_id: 'one', args: { path: 'src/a.txt', content: 'x' }, ...more });
  }

  /** Puts a stored set in force, as one more row. */
  async activate(name: string): Promise<void> {
    await this.tenant.query(`INSERT INTO kernel.policy_activation (tenant_id, seq, policy_hash, activated_by)
      SELECT tenant_id, 9, policy_hash, 'spec' FROM kernel.policy_set WHERE tenant_id = $1 AND name = $2`, [this.tenant.tenantId, name]);
  }

  async freeze(scope: string, subject: string): Promise<void> {
    await this.tenant.query(`INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by) VALUES ('frz_' || $1, $1, $2, $3, 'stop', 'spec')`, [this.tenant.tenantId, scope, subject]);
  }

  async label(scope: string, id: string): Promise<void> {
    await this.tenant.query(`INSERT INTO kernel.label (tenant_id, scope, id, label, operation_id) VALUES ($1, $2, $3, 'secret_read', 'op_x')`, [this.tenant.tenantId, scope, id]);
  }

  /** Calls like the first one, that ran and failed. */
  async fail(times: number): Promise<void> {
    await this.tenant.query(`INSERT INTO kernel.operation SELECT (jsonb_populate_record(o, jsonb_build_object('operation_id', o.operation_id || n, 'created_at', kernel.now_ms() + n))).*
      FROM kernel.operation o, generate_series(1, $2) n WHERE o.operation_id = $1`, [this.first?.operation_id, times]);
    await this.tenant.query(`UPDATE kernel.operation SET state = 'rolled_back' WHERE operation_id LIKE $1 || '_%'`, [this.first?.operation_id]);
  }

  async revoke(token: string): Promise<void> {
    await this.tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [token]);
  }

  async spend(token: string, dimension: string, left: number): Promise<void> {
    await this.tenant.query('UPDATE kernel.budget SET used = bound - reserved - $3 WHERE capability_token_id = $1 AND dimension = $2', [token, dimension, left]);
  }
}

const CHANGES: readonly (readonly [string, (scene: Scene) => Promise<void>, Partial<Extract<Answer, { state: string }>> | { fault: string }])[] = [
  ['nothing', async () => undefined, { state: 'admitted' }],
  ['the token revoked', (s) => s.revoke(s.leaf), { fault_code: 'token.revoked' }],
  ['the token above it revoked', (s) => s.revoke(s.root), { fault_code: 'token.revoked' }],
  ['the tenant frozen', (s) => s.freeze('tenant', s.tenant.tenantId), { fault_code: 'frozen' }],
  ['the agent frozen', (s) => s.freeze('agent', s.tenant.agentId), { fault_code: 'frozen' }],
  ['the tool frozen', (s) => s.freeze('tool', 'fs.write'), { fault_code: 'frozen' }],
  ['another tool frozen', (s) => s.freeze('tool', 'fs.edit'), { state: 'admitted' }],
  ['another policy in force', (s) => s.activate('closed'), { fault_code: 'policy.denied' }],
  ['a policy in force that counts what was done', (s) => s.activate('twice'), { fault_code: 'policy.denied' }],
  ['a policy in force that counts calls of another kind', (s) => s.activate('deploys'), { state: 'admitted' }],
  ['a label on the session', (s) => s.label('session', 'one'), { fault_code: 'policy.denied' }],
  ['a label on the workspace', (s) => s.label('workspace', s.tenant.workspaceId), { fault_code: 'policy.denied' }],
  ['calls that failed, one after another', (s) => s.fail(5), { state: 'admitted', risk_basis: expect.arrayContaining(['history.failures']) as string[] }],
  ['a label on another session', (s) => s.label('session', 'two'), { state: 'admitted' }],
  ['the budget spent', (s) => s.spend(s.leaf, 'calls', 0), { fault_code: 'budget.exhausted' }],
  ['the budget above it spent', (s) => s.spend(s.root, 'calls', 0), { fault_code: 'budget.exhausted' }],
  ['less left of a budget than a call may use', (s) => s.spend(s.root, 'wall_ms', 7), { state: 'admitted', reserved: { calls: 1, wall_ms: 7 } }],
  ['the last of a budget left', (s) => s.spend(s.leaf, 'calls', 1), { state: 'admitted' }],
  ['a new head', (s) => s.tenant.write({ 'src/b.txt': 'new' }), { state: 'admitted' }],
  ['a link in the place of the file, out of the scope', (s) => s.tenant.write({ 'src/a.txt': '->../.env' }), { fault_code: 'token.scope' }],
  ['records that wait for the log', (s) => s.tenant.query('UPDATE kernel.outbox SET created_at = kernel.now_ms() - 10500 WHERE tenant_id = $1', [s.tenant.tenantId]), { fault: 'record.backlog' }],
  ['as many calls waiting as may', (s) => s.tenant.query('UPDATE kernel.tenant SET waiting_max = 2 WHERE tenant_id = $1', [s.tenant.tenantId]), { fault: 'queue.full' }],
  ['one call fewer waiting than may', (s) => s.tenant.query('UPDATE kernel.tenant SET waiting_max = 3 WHERE tenant_id = $1', [s.tenant.tenantId]), { state: 'admitted' }],
  ['the workspace taken away', (s) => s.tenant.query(`UPDATE kernel.workspace SET tenant_id = 'ten_spec' WHERE workspace_id = $1`, [s.tenant.workspaceId]), { fault_code: 'workspace.unknown' }],
];

beforeAll(async () => { await kernel.admin.query(`INSERT INTO kernel.tenant (tenant_id, name, data_key, finger_key) VALUES ('ten_spec', 'spec', '', '')`); });

/** The answer is of a tenant of its own: what names it isn't compared. */
async function outcome(scene: Scene, answer: Promise<Answer>): Promise<unknown> {
  const got = await answer;
  return 'fault' in got ? got : { ...got, state_snapshot_id: got.state_snapshot_id === null ? null : got.state_snapshot_id === scene.tenant.head ? 'head' : 'another' };
}

describe.each(CHANGES)('an admission that meets %s', (_name, change, expected) => {
  it('is answered as it would be without memory', async () => {
    const [remembering, reading] = [await Scene.open(true), await Scene.open(false)];
    const answers = [];
    for (const scene of [remembering, reading]) {
      await change(scene);
      answers.push(await outcome(scene, scene.replica.answer(scene.call())));
    }
    expect(answers[0]).toMatchObject(expected);
    expect(answers[0]).toEqual(answers[1]);
  });

  it('is answered so when that comes while it waits to write', async () => {
    const scene = await Scene.open(true);
    await kernel.admin.query('BEGIN');
    await kernel.admin.query('SELECT kernel.change_rules($1)', [scene.tenant.tenantId]);
    const deciding = scene.replica.answer(scene.call());
    await kernel.untilBlocked();
    await change(scene);
    await kernel.admin.query('COMMIT');
    expect(await outcome(scene, deciding)).toMatchObject(expected);
  });
});

describe('an admission on what is remembered', () => {
  it('reads nothing and writes what one that reads would write', async () => {
    const scene = await Scene.open(true);
    const rows = [];
    for (const replica of [scene.replica, new TestReplica(kernel, false)]) {
      const { operation_id } = await replica.run(scene.call());
      rows.push({ ...await scene.tenant.row(operation_id), ...Object.fromEntries(['operation_id', 'idempotency_key', 'proposal_digest', 'args_hash', 'action_digest', 'decision_record_id', 'decision_hash', 'created_at', 'updated_at'].map((own) => [own, null])) });
    }
    expect(scene.replica.takeReads()).toBe(0);
    expect(rows[0]).toEqual(rows[1]);
  });

  it('gives a call that is sent again the decision that it has, and a key that is used again its operation', async () => {
    const scene = await Scene.open(true);
    const { first } = scene;
    if (first === undefined) throw new Error('a scene has a first call');
    expect((await scene.replica.run(first)).operation_id).toBe(first.operation_id);
    const again = scene.call({ idempotency_key: first.idempotency_key });
    expect((await scene.replica.run(again)).operation_id).toBe(first.operation_id);
    expect((await scene.replica.answer(scene.call({ idempotency_key: first.idempotency_key, args: { path: 'src/b.txt', content: 'y' } })))).toMatchObject({ fault_code: 'idempotency.mismatch' });
    expect(await scene.tenant.budgetOf(scene.leaf)).toMatchObject({ calls: { reserved: 2 } });
  });

  it('is not made for a call that asks for more than the last one did', async () => {
    const scene = await Scene.open(true);
    for (const [more, expected] of [
      [{ precondition_refs: [{ kind: 'snapshot', ref: scene.tenant.workspaceId, version: 'snap_x' }] }, { fault_code: 'precondition.failed' }],
      [{ dry_run: true }, { state: 'no_op' }],
      [{ max_autonomy: 'soft_gate' }, { state: 'held' }],
      [{ args: { path: '.env', content: 'x' } }, { fault_code: 'token.scope' }],
      [{ deadline: 1 }, { fault_code: 'deadline' }],
    ] as [Partial<ProposedCall>, object][]) {
      expect(await scene.replica.answer(scene.call(more))).toMatchObject(expected);
      expect(scene.replica.takeReads()).toBe(1);
    }
  });

  it('is not made where the past counts, though it did not for the last call', async () => {
    const scene = await Scene.open(true);
    await scene.activate('deploys');
    const states = [];
    for (const task_class of ['general', 'deploy', 'general', 'deploy']) states.push((await scene.replica.run(scene.call({ task_class }))).state);
    expect(states).toEqual(['admitted', 'admitted', 'admitted', 'refused']);
  });

  it('tells the time by the database: a clock that ran away is found out', async () => {
    let ahead = 0;
    const scene = await Scene.open(true, () => performance.now() + ahead);
    ahead = 5_000;
    const { operation_id } = await scene.replica.run(scene.call());
    expect(scene.replica.takeReads()).toBe(1);
    const record = (await scene.tenant.records()).find((each) => each.operation_id === operation_id);
    expect(Math.abs((record?.recorded_at ?? 0) - (await scene.tenant.row(operation_id)).created_at)).toBeLessThan(2_000);
  });

  it('follows the heads that its replica commits', async () => {
    const scene = await Scene.open(true);
    await scene.tenant.write({ 'src/b.txt': 'new' });
    scene.replica.memory.moved(scene.tenant.tenantId, scene.tenant.workspaceId, scene.tenant.head);
    expect((await scene.replica.run(scene.call())).state_snapshot_id).toBe(scene.tenant.head);
    expect(scene.replica.takeReads()).toBe(0);
  });
});
