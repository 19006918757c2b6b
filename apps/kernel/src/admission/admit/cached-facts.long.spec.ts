// SPDX-License-Identifier: Apache-2.0
// An admission on cached facts never has another answer than one that reads its facts.
import type { ProposedCall } from '@writ/contract';
import { HEADROOM_CALLS, QueueHeadroom } from './queue-headroom.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';
import { EVERY_CALL, NO_CALL, TestReplica, type Answer } from '../../specs/test-replica.ts';
import { Scene, type Setting } from '../../specs/test-scene.ts';

let kernel: PolicyKernel;
const openScene = (remembers: boolean, setting?: Setting): Promise<Scene> => Scene.open(kernel, remembers, setting);
openKernelSpec((on) => {
  ({ kernel } = on);
}, openPolicyKernel);

const CHANGES: readonly (readonly [
  string,
  (scene: Scene) => Promise<void>,
  Partial<Extract<Answer, { state: string }>> | { fault: string },
])[] = [
  ['nothing', async () => undefined, { state: 'admitted' }],
  ['the token revoked', (s) => s.revoke(s.leaf), { fault_code: 'token.revoked' }],
  ['the token above it revoked', (s) => s.revoke(s.root), { fault_code: 'token.revoked' }],
  ['the token run out', (s) => s.expire(s.leaf), { fault_code: 'token.expired' }],
  ['the tenant frozen', (s) => s.freeze('tenant', s.tenant.tenantId), { fault_code: 'frozen' }],
  ['the agent frozen', (s) => s.freeze('agent', s.tenant.agentId), { fault_code: 'frozen' }],
  ['everything frozen', (s) => s.freezeAll(), { fault_code: 'frozen' }],
  ['the tool frozen', (s) => s.freeze('tool', 'fs.write'), { fault_code: 'frozen' }],
  ['another tool frozen', (s) => s.freeze('tool', 'fs.edit'), { state: 'admitted' }],
  ['another policy in force', (s) => s.activate('closed'), { fault_code: 'policy.denied' }],
  ['a policy in force that counts what was done', (s) => s.activate('twice'), { fault_code: 'policy.denied' }],
  ['a policy in force that counts calls of another kind', (s) => s.activate('deploys'), { state: 'admitted' }],
  ['a label on the session', (s) => s.label('session', 'one'), { fault_code: 'policy.denied' }],
  ['a label on the workspace', (s) => s.label('workspace', s.tenant.workspaceId), { fault_code: 'policy.denied' }],
  [
    'calls that failed, one after another',
    (s) => s.fail(5),
    { state: 'admitted', risk_basis: expect.arrayContaining(['history.failures']) as string[] },
  ],
  ['a label on another session', (s) => s.label('session', 'two'), { state: 'admitted' }],
  ['the budget spent', (s) => s.spend(s.leaf, 'calls', 0), { fault_code: 'budget.exhausted' }],
  ['the budget above it spent', (s) => s.spend(s.root, 'calls', 0), { fault_code: 'budget.exhausted' }],
  [
    'less left of a budget than a call may use',
    (s) => s.spend(s.root, 'wall_ms', 7),
    { state: 'admitted', reserved: { calls: 1, wall_ms: 7 } },
  ],
  ['the last of a budget left', (s) => s.spend(s.leaf, 'calls', 1), { state: 'admitted' }],
  ['a new head', (s) => s.tenant.write({ 'src/b.txt': 'new' }), { state: 'admitted' }],
  [
    'a link in the place of the file, out of the scope',
    (s) => s.tenant.write({ 'src/a.txt': '->../.env' }),
    { fault_code: 'token.scope' },
  ],
  [
    'the file denied by the settings of the tenant',
    (s) =>
      s.tenant.query(
        `UPDATE kernel.tenant SET call_settings = call_settings || '{"denied_paths": ["**/a.txt"]}' WHERE tenant_id = $1`,
        [s.tenant.tenantId],
      ),
    { fault_code: 'path.denied' },
  ],
  [
    'a queue with room for one call',
    (s) => s.tenant.query('UPDATE kernel.tenant SET waiting_max = 3 WHERE tenant_id = $1', [s.tenant.tenantId]),
    { state: 'admitted' },
  ],
  [
    'a removed workspace',
    (s) =>
      s.tenant.query(`UPDATE kernel.workspace SET tenant_id = 'ten_spec' WHERE workspace_id = $1`, [
        s.tenant.workspaceId,
      ]),
    { fault_code: 'workspace.unknown' },
  ],
];

/** Changes that a replica with a recent count detects at its next count. */
const WAITING: typeof CHANGES = [
  [
    'records that wait for the log',
    (s) =>
      s.tenant.query('UPDATE kernel.outbox SET created_at = kernel.now_ms() - 10500 WHERE tenant_id = $1', [
        s.tenant.tenantId,
      ]),
    { fault: 'record.backlog' },
  ],
  [
    'a full queue',
    (s) => s.tenant.query('UPDATE kernel.tenant SET waiting_max = 2 WHERE tenant_id = $1', [s.tenant.tenantId]),
    { fault: 'queue.full' },
  ],
];

const CASES = [
  ...[...CHANGES, ...WAITING].map(([name, ...change]) => [name, 'that looks at the queue', {}, ...change] as const),
  ...CHANGES.map(
    ([name, ...change]) => [name, 'that has looked a moment ago', { queueChecks: NO_CALL }, ...change] as const,
  ),
  ...CHANGES.map(
    ([name, ...change]) =>
      [name, 'under one token alone', { queueChecks: NO_CALL, isRootAlone: true }, ...change] as const,
  ),
];

beforeAll(async () => {
  await kernel.admin.query(
    `INSERT INTO kernel.tenant (tenant_id, name, data_key, finger_key) VALUES ('ten_spec', 'spec', '', '')`,
  );
});

/** Each scene has its own tenant, so names of the tenant aren't compared. */
async function outcome(scene: Scene, answer: Promise<Answer>): Promise<unknown> {
  const got = await answer;
  return 'fault' in got
    ? got
    : {
        ...got,
        state_snapshot_id:
          got.state_snapshot_id === null ? null : got.state_snapshot_id === scene.tenant.head ? 'head' : 'another',
      };
}

describe.each(CASES)('an admission that meets %s, one %s', (_name, _way, setting, change, expected) => {
  afterEach(() => Scene.thawAll(kernel));

  it('is answered as it would be without cached facts', async () => {
    const [remembering, reading] = [await openScene(true, setting), await openScene(false, setting)];
    const answers = [];
    for (const scene of [remembering, reading]) {
      await change(scene);
      answers.push(await outcome(scene, scene.replica.answer(scene.call())));
    }
    expect(answers[0]).toMatchObject(expected);
    expect(answers[0]).toEqual(answers[1]);
  });

  it('is answered so when the change comes while it waits to write', async () => {
    const scene = await openScene(true, setting);
    await kernel.admin.query('BEGIN');
    await kernel.admin.query('SELECT kernel.change_rules($1)', [scene.tenant.tenantId]);
    const deciding = scene.replica.answer(scene.call());
    await kernel.untilBlocked();
    await change(scene);
    await kernel.admin.query('COMMIT');
    expect(await outcome(scene, deciding)).toMatchObject(expected);
  });
});

describe('an admission on cached facts', () => {
  it('reads no facts and writes the same decision as one that reads them', async () => {
    const scene = await openScene(true);
    const rows = [];
    for (const replica of [scene.replica, new TestReplica(kernel, false)]) {
      const { operation_id } = await replica.run(scene.call());
      rows.push({
        ...(await scene.tenant.row(operation_id)),
        ...Object.fromEntries(
          [
            'operation_id',
            'idempotency_key',
            'proposal_digest',
            'args_hash',
            'action_digest',
            'decision_record_id',
            'decision_hash',
            'created_at',
            'updated_at',
          ].map((own) => [own, null]),
        ),
      });
    }
    expect(scene.replica.readsSinceLast()).toBe(0);
    expect(rows[0]).toEqual(rows[1]);
  });

  it('returns the decision of a repeated call and the operation of a repeated key', async () => {
    const scene = await openScene(true);
    const { first } = scene;
    if (first === undefined) throw new Error('a scene has a first call');
    expect((await scene.replica.run(first)).operation_id).toBe(first.operation_id);
    const again = scene.call({ idempotency_key: first.idempotency_key });
    expect((await scene.replica.run(again)).operation_id).toBe(first.operation_id);
    expect(
      await scene.replica.answer(
        scene.call({ idempotency_key: first.idempotency_key, args: { path: 'src/b.txt', content: 'y' } }),
      ),
    ).toMatchObject({ fault_code: 'idempotency.mismatch' });
    expect(await scene.tenant.budgetOf(scene.leaf)).toMatchObject({ calls: { reserved: 2 } });
  });

  it('is not made for a call that asks for more than the last one', async () => {
    const scene = await openScene(true);
    for (const [more, expected] of [
      [
        { precondition_refs: [{ kind: 'snapshot', ref: scene.tenant.workspaceId, version: 'snap_x' }] },
        { fault_code: 'precondition.failed' },
      ],
      [{ dry_run: true }, { state: 'no_op' }],
      [{ max_autonomy: 'soft_gate' }, { state: 'held' }],
      [{ args: { path: '.env', content: 'x' } }, { fault_code: 'token.scope' }],
      [{ deadline: 1 }, { fault_code: 'deadline' }],
    ] as [Partial<ProposedCall>, object][]) {
      expect(await scene.replica.answer(scene.call(more))).toMatchObject(expected);
      expect(scene.replica.readsSinceLast()).toBe(1);
    }
  });

  it('is not made where the policy counts past calls, though it did not for the last call', async () => {
    const scene = await openScene(true);
    await scene.activate('deploys');
    const states = [];
    for (const task_class of ['general', 'deploy', 'general', 'deploy'])
      states.push((await scene.replica.run(scene.call({ task_class }))).state);
    expect(states).toEqual(['admitted', 'admitted', 'admitted', 'refused']);
  });

  it.each([
    ['looks at the queue', EVERY_CALL],
    ['has looked a moment ago', NO_CALL],
  ])('uses the time of the database: a replica that %s detects a drifted clock', async (_name, queueChecks) => {
    let ahead = 0;
    const scene = await openScene(true, { monotonic: () => performance.now() + ahead, queueChecks });
    ahead = 5_000;
    const { operation_id } = await scene.replica.run(scene.call());
    expect(scene.replica.readsSinceLast()).toBe(1);
    const record = (await scene.tenant.records()).find((each) => each.operation_id === operation_id);
    expect(Math.abs((record?.recorded_at ?? 0) - (await scene.tenant.row(operation_id)).created_at)).toBeLessThan(
      2_000,
    );
  });

  it.each([
    ['looks at the queue', EVERY_CALL],
    ['has looked a moment ago', NO_CALL],
  ])('is not made after destructive calls, by a replica that %s', async (_name, queueChecks) => {
    const scene = await openScene(true, { queueChecks });
    await scene.destroy(1);
    expect(await scene.replica.answer(scene.call())).toMatchObject({ state: 'admitted' });
    expect(scene.replica.readsSinceLast()).toBe(1);
    expect(await scene.replica.answer(scene.call())).toMatchObject({ state: 'admitted' });
    expect(scene.replica.readsSinceLast()).toBe(0);
  });

  it('uses the heads that its replica commits', async () => {
    const scene = await openScene(true);
    await scene.tenant.write({ 'src/b.txt': 'new' });
    scene.replica.memory.moved(scene.tenant.tenantId, scene.tenant.workspaceId, scene.tenant.head);
    expect((await scene.replica.run(scene.call())).state_snapshot_id).toBe(scene.tenant.head);
    expect(scene.replica.readsSinceLast()).toBe(0);
  });

  it('admits no more calls on one count of the queue than the count allows', async () => {
    const scene = await openScene(true);
    await scene.tenant.query(
      `UPDATE kernel.budget SET bound = 100 WHERE dimension = 'calls' AND capability_token_id = ANY ($1)`,
      [[scene.root, scene.leaf]],
    );
    // The clock is fixed, so headroom doesn't expire.
    const replica = new TestReplica(kernel, true, undefined, new QueueHeadroom(() => 0));
    for (let calls = 0; calls < 2; calls += 1)
      expect(await replica.answer(scene.call())).toMatchObject({ state: 'admitted' });
    await scene.tenant.query('UPDATE kernel.tenant SET waiting_max = 1 WHERE tenant_id = $1', [scene.tenant.tenantId]);
    let admitted = 0;
    while ('state' in (await replica.answer(scene.call()))) admitted += 1;
    expect(admitted).toBe(HEADROOM_CALLS - 1);
  });
});
