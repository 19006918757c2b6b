// SPDX-License-Identifier: Apache-2.0
// Calls that wait for a person: approved, denied, expired, cancelled, and held over a restart of every process.
import { createHash, randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  makeWorld,
  Observer,
  approveShown,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: Stack;
let world: World;
let observer: Observer;

beforeAll(async () => {
  stack = await startStack({ env: { kernel: { WRIT_SWEEP_MS: '200' } } });
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'old/a.txt': 'one\n', 'b.txt': 'two\n' },
    budgets: { calls: 1_000 },
  });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

const head = async (): Promise<string> =>
  (await world.admin.get(`/v1/workspaces/${world.workspaceId}`)).body.head_snapshot_id as string;
const budget = async (tokenId = world.tokenId): Promise<JsonValue> =>
  (
    await observer.rows(
      `SELECT reserved::int, used::int FROM kernel.budget WHERE capability_token_id = $1 AND dimension = 'calls'`,
      [tokenId],
    )
  )[0];
const record = async (operationId: string, phase: 'decision' | 'outcome'): Promise<JsonValue> =>
  (await verifiedReceipt(stack, world, operationId, phase)).record;
/** Creates a directory and proposes to delete it, which needs an approval. */
async function hold(over: Record<string, unknown> = {}): Promise<JsonValue> {
  const dir = `dir-${randomUUID()}`;
  await world.call('fs.write', { path: `${dir}/x.txt`, content: 'x' });
  const { status, headers, body } = await world.call('shell.run', { command: `rm -rf ${dir}` }, over);
  expect([status, body.state, headers.get('location')]).toEqual([
    202,
    'held',
    `/v1/operations/${body.operation_id as string}`,
  ]);
  return { ...body, file: `${dir}/x.txt` };
}
const decide = (held: JsonValue, decision: 'approve' | 'deny', by = world.operator, body: JsonValue = {}) =>
  decision === 'approve'
    ? approveShown(by, held.approval_id, body as Record<string, unknown>)
    : by.post(`/v1/approvals/${held.approval_id as string}/deny`, body);

it('an approver sees the call, approves it, and its effect happens once', async () => {
  const before = await budget();
  const held = await hold();
  expect(await budget()).toMatchObject({ reserved: before.reserved });
  const shown = (await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body;
  expect(shown).toMatchObject({
    state: 'pending',
    of: expect.stringMatching(/^(action|effect)$/),
    operation_id: held.operation_id,
    tool_id: 'shell.run',
    agent_id: world.agentId,
    args: { command: expect.stringContaining('rm -rf') },
  });
  expect(shown.reasons.length).toBeGreaterThan(0);
  expect((await world.auditor.get(`/v1/approvals/${held.approval_id as string}`)).body.args).toBeNull();
  expect(
    (await world.operator.get('/v1/approvals?state=pending')).body.items.map((one: JsonValue) => one.approval_id),
  ).toContain(held.approval_id);
  const approved = await decide(held, 'approve', world.operator, { comment: 'go on' });
  expect(approved.status).toBe(200);
  const done = await world.until(held.operation_id as string, ['committed']);
  expect(done).toMatchObject({ result: { status: 'ok', tx_outcome: 'committed', autonomy_mode: 'soft_gate' } });
  expect(await world.file(held.file as string)).toBeNull();
  expect((await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body).toMatchObject({
    state: 'approved',
    comment: 'go on',
  });
  expect(await record(held.operation_id as string, 'decision')).toMatchObject({
    verdict: 'admitted',
    approval_refs: [held.approval_id],
  });
  expect(await record(held.operation_id as string, 'outcome')).toMatchObject({ tx_outcome: 'committed' });
  const again = await decide(held, 'approve');
  expect([again.status, again.body.state]).toEqual([200, 'committed']);
  expect((await decide(held, 'deny')).body.code).toBe('conflict');
});

it('a denied call ends rolled back, as its record shows', async () => {
  const before = await head();
  const held = await hold();
  expect((await decide(held, 'deny', world.operator, { comment: 'no' })).body).toMatchObject({
    state: expect.stringMatching(/refused|rolled_back/),
    result: { tx_outcome: 'rolled_back', error: { code: 'approval.denied' } },
  });
  expect(await world.file(held.file as string)).toBe('x');
  expect(await head()).not.toBe(before);
  expect(await record(held.operation_id as string, 'outcome')).toMatchObject({ tx_outcome: 'rolled_back' });
  expect((await decide(held, 'approve')).body.code).toBe('conflict');
});

it('nobody can approve their own call, not even an administrator', async () => {
  const held = await hold();
  expect((await decide(held, 'approve', world.agent)).body.code).toBe('auth.role');
  expect((await decide(held, 'approve', world.auditor)).body.code).toBe('auth.role');
  const own = await world.admin.post('/v1/tool-calls', {
    agent_id: world.agentId,
    tool_id: 'shell.run',
    args: { command: 'rm -rf old' },
    capability_token_id: world.tokenId,
    workspace_id: world.workspaceId,
    idempotency_key: randomUUID(),
  });
  expect(own.body.state).toBe('held');
  for (const decision of ['approve', 'deny'] as const) {
    const { status, body } = await decide(own.body, decision, world.admin);
    expect([decision, status, body.code]).toEqual([decision, 403, 'approval.own_call']);
  }
  expect((await decide(own.body, 'approve', world.operator)).status).toBe(200);
  await world.until(own.body.operation_id as string, ['committed']);
  await decide(held, 'deny');
});

it('a call that nobody decides on in time expires', async () => {
  const held = await hold({ deadline: Date.now() + 1_500 });
  const ended = await world.until(held.operation_id as string, ['rolled_back', 'refused']);
  expect(ended.result).toMatchObject({
    tx_outcome: 'rolled_back',
    error: { code: expect.stringMatching(/^(approval\.expired|deadline)$/) },
  });
  expect((await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body.state).toBe('expired');
  expect((await decide(held, 'approve')).body.code).toBe('conflict');
  expect(await world.file(held.file as string)).toBe('x');
  expect(await observer.outcomes(held.operation_id as string)).toBe(1);
});

it("a cancelled call can't be approved any more", async () => {
  const held = await hold();
  expect((await world.agent.post(`/v1/operations/${held.operation_id as string}/cancel`)).body).toMatchObject({
    result: { tx_outcome: 'rolled_back', error: { code: 'cancelled' } },
  });
  expect((await decide(held, 'approve')).body.code).toBe('conflict');
  expect((await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body.state).toBe('cancelled');
});

it('an approval is evaluated again: a call whose token, budget or base changed since is refused', async () => {
  const issue = async (budgets: Record<string, number>): Promise<string> =>
    (
      await world.admin.must('/v1/capability-tokens', {
        agent_id: world.agentId,
        workspace_id: world.workspaceId,
        grant: {
          tools: ['*'],
          fs: [{ path: '', read: true, write: true }],
          net: [],
          secrets: [],
          budgets,
          not_before: 0,
          expires_at: Date.now() + 600_000,
        },
      })
    ).capability_token_id as string;
  const [revoked, spent] = [await issue({}), await issue({ calls: 1 })];
  const cases: readonly [string, JsonValue, () => Promise<unknown>][] = [
    [
      'token.revoked',
      await hold({ capability_token_id: revoked }),
      () => world.admin.must(`/v1/capability-tokens/${revoked}/revoke`),
    ],
    [
      'budget.exhausted',
      await hold({ capability_token_id: spent }),
      () => world.call('fs.read', { path: 'b.txt' }, { capability_token_id: spent }),
    ],
    [
      'precondition.failed',
      await hold({
        precondition_refs: [
          { kind: 'path', ref: 'b.txt', version: createHash('sha256').update('two\n').digest('hex') },
        ],
      }),
      () => world.call('fs.write', { path: 'b.txt', content: 'moved' }),
    ],
  ];
  for (const [code, held, change] of cases) {
    await change();
    const { status, body } = await decide(held, 'approve');
    const { error, tx_outcome } = body.result ?? {};
    // The message is compared with nothing; it shows in a failure, where the code differs.
    expect({ code, status, said: error?.code, message: error?.message, tx_outcome }).toEqual({
      code,
      status: 200,
      said: code,
      message: expect.any(String),
      tx_outcome: 'rolled_back',
    });
    expect(await world.file(held.file as string)).toBe('x');
  }
});

it('a second request with the key of a held call returns the held call', async () => {
  const idempotency_key = randomUUID();
  const held = await hold({ idempotency_key });
  const again = await world.call(
    'shell.run',
    { command: `rm -rf ${(held.file as string).split('/')[0]!}` },
    { idempotency_key },
    0,
  );
  expect([again.status, again.body.operation_id, again.body.state]).toEqual([202, held.operation_id, 'held']);
  await Promise.all([decide(held, 'approve'), decide(held, 'approve', world.admin)]);
  await world.until(held.operation_id as string, ['committed']);
  expect(await observer.outcomes(held.operation_id as string)).toBe(1);
});

it('a held call survives the restart of every process, and is approved afterwards', async () => {
  const held = await hold();
  const waiting = world.agent.get(`/v1/operations/${held.operation_id as string}?wait=1000`).catch(() => null);
  for (const service of Object.values(stack.services)) await service.kill();
  await stack.nats.kill();
  await waiting;
  await stack.nats.start();
  await Promise.all(Object.values(stack.services).map((service) => service.start()));
  expect((await world.agent.get(`/v1/operations/${held.operation_id as string}`)).body.state).toBe('held');
  const approved = await eventually('the approval is taken', async () => {
    const answer = await decide(held, 'approve');
    return answer.status === 200 ? answer : null;
  });
  expect(approved.body.operation_id).toBe(held.operation_id);
  await world.until(held.operation_id as string, ['committed']);
  expect(await world.file(held.file as string)).toBeNull();
  expect(await observer.outcomes(held.operation_id as string)).toBe(1);
  await observer.untilLogged();
});

describe('a preview', () => {
  /** Proposes a command that needs an approval: it deletes a directory and writes files. */
  async function preview(command: string): Promise<JsonValue> {
    const dir = `dir-${randomUUID()}`;
    await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, {
      files: [
        { path: `${dir}/old/gone.txt`, content: 'gone\n' },
        { path: `${dir}/a.txt`, content: 'a\n' },
      ],
    });
    const { body } = await world.call('shell.run', { command: `${command}; rm -rf old`, cwd: dir });
    expect(body.state).toBe('held');
    return { ...body, file: `${dir}/a.txt` };
  }
  const show = async (held: JsonValue): Promise<JsonValue> =>
    (await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body;
  const previewed = (held: JsonValue): Promise<JsonValue> =>
    eventually(
      'the preview',
      async () => {
        const view = await show(held);
        return view.preview.round === 1 && ['ready', 'failed'].includes(view.preview.state as string) ? view : null;
      },
      120_000,
    );

  it('a staged effect survives the restart of every process, and two approvers at once commit it once', async () => {
    const held = await preview('echo mine > a.txt');
    await previewed(held);
    for (const name of ['kernel', 'executor'] as const) {
      await stack.services[name].kill();
      await stack.services[name].start();
    }
    const answers = await eventually('the approval is taken', async () => {
      const both = await Promise.all([decide(held, 'approve'), decide(held, 'approve', world.admin)]);
      return both.every(({ status }) => status === 200) ? both : null;
    });
    expect(answers.map(({ body }) => body.state)).toEqual(['committed', 'committed']);
    expect(await world.file(held.file as string)).toBe('mine\n');
    expect(await observer.outcomes(held.operation_id as string)).toBe(1);
  });

  it('a preview survives the death of its executor', async () => {
    const held = await preview('sleep 2; echo mine > a.txt');
    await eventually('the preview runs', async () => (await show(held)).preview.state === 'running');
    await stack.services.executor.kill();
    await stack.services.executor.start();
    expect((await previewed(held)).of).toBe('effect');
    expect((await decide(held, 'approve')).body.state).toBe('committed');
  });
});
