// SPDX-License-Identifier: Apache-2.0
// The six invariants of the tool capability API (TOOL-01 §6), by name, through the public API and nothing else.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  mustApproveShown,
  Observer,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
let observer: Observer;

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'src/a.txt': 'one\n', 'docs/b.txt': 'two\n' },
    fs: [
      { path: '', read: true, write: false },
      { path: 'src', read: true, write: true },
    ],
  });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
});

const head = async (): Promise<string> =>
  (await world.admin.get(`/v1/workspaces/${world.workspaceId}`)).body.head_snapshot_id as string;
const record = async (operationId: string, phase?: 'decision' | 'outcome'): Promise<JsonValue> =>
  (await verifiedReceipt(stack, world, operationId, phase)).record;
const fresh = (): string => randomUUID();

describe('No bypass: tools cannot be called without a capability token', () => {
  const write = (over: Record<string, unknown>) =>
    world.call('fs.write', { path: 'src/bypass.txt', content: 'x' }, over);

  it('a call that names no token is of the only one of its agent, and becomes no operation where there is none', async () => {
    const call = (agent_id?: string) =>
      (agent_id === undefined ? world.agent : world.admin).post('/v1/tool-calls?wait=30000', {
        tool_id: 'fs.write',
        args: { path: 'docs/bypass.txt', content: 'x' },
        ...(agent_id === undefined ? {} : { agent_id }),
        workspace_id: world.workspaceId,
        idempotency_key: fresh(),
      });
    const { body: own } = await call();
    expect([own.error?.code, (await record(own.operation_id as string)).capability_token_id]).toEqual([
      'token.scope',
      world.tokenId,
    ]);
    const other = (await world.admin.must('/v1/agents', { name: 'without a token' })).agent_id as string;
    const { status, body } = await call(other);
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(await world.file('docs/bypass.txt')).toBeNull();
  });

  it("a token that doesn't exist, is expired, not valid yet, revoked, another agent's, or without the tool gets nothing done", async () => {
    const grant = {
      tools: ['fs.*'],
      fs: [{ path: '', read: true, write: true }],
      net: [],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + 3_600_000,
    };
    const issue = async (over: Record<string, unknown>, agentId = world.agentId): Promise<string> =>
      (
        await world.admin.must('/v1/capability-tokens', {
          agent_id: agentId,
          workspace_id: world.workspaceId,
          grant: { ...grant, ...over },
        })
      ).capability_token_id as string;
    const otherAgent = (await world.admin.must('/v1/agents', { name: 'other' })).agent_id as string;
    const revoked = await issue({});
    await world.admin.must(`/v1/capability-tokens/${revoked}/revoke`);
    const before = await head();
    const brief = Date.now() + 250;
    const expired = await issue({ expires_at: brief });
    await eventually('the token has expired', () => Promise.resolve(Date.now() > brief + 50));
    const cases: readonly [string, string][] = [
      [`${world.tokenId.slice(0, -4)}0000`, 'token.unknown'],
      [expired, 'token.expired'],
      [await issue({ not_before: Date.now() + 60_000 }), 'token.not_yet_valid'],
      [revoked, 'token.revoked'],
      [await issue({}, otherAgent), 'token.agent'],
      [await issue({ tools: ['fs.read'] }), 'token.tool'],
      [await issue({ fs: [{ path: 'docs', read: true, write: true }] }), 'token.scope'],
      [await issue({ budgets: { calls: 0 } }), 'budget.exhausted'],
    ];
    for (const [capability_token_id, code] of cases) {
      const { status, body } = await write({ capability_token_id });
      expect({ code, status, said: body.error?.code, tx_outcome: body.tx_outcome }).toEqual({
        code,
        status: 200,
        said: code,
        tx_outcome: 'rolled_back',
      });
    }
    expect(await head()).toBe(before);
  });
});

describe('Auditability: every tool call produces an audit record', () => {
  it('committed, refused, failed, read, held and denied calls have records that anybody can verify', async () => {
    const committed = (await world.call('fs.write', { path: 'src/audit.txt', content: 'x' })).body;
    const refused = (await world.call('fs.write', { path: 'docs/audit.txt', content: 'x' })).body;
    const failed = (await world.call('shell.run', { command: 'echo half > src/half.txt; exit 3' })).body;
    const read = (await world.call('fs.read', { path: 'src/a.txt' })).body;
    const unknown = (await world.call('no.such_tool', {})).body;
    const held = (await world.call('shell.run', { command: 'rm -rf src' })).body;
    expect(held.state).toBe('held');
    expect(await record(held.operation_id as string)).toMatchObject({ phase: 'decision', verdict: 'held' });
    await world.operator.must(`/v1/approvals/${held.approval_id as string}/deny`);
    const expected: readonly [JsonValue, string, string][] = [
      [committed, 'admitted', 'committed'],
      [refused, 'refused', 'rolled_back'],
      [failed, 'admitted', 'rolled_back'],
      [read, 'admitted', 'no_op'],
      [unknown, 'refused', 'rolled_back'],
      [held, 'held', 'rolled_back'],
    ];
    for (const [{ operation_id }, verdict, tx_outcome] of expected) {
      expect(await record(operation_id, 'decision')).toMatchObject({
        operation_id,
        kind: 'tool_call',
        phase: 'decision',
        verdict,
      });
      // The decision of a refused call is its end.
      if (verdict !== 'refused')
        expect(await record(operation_id, 'outcome')).toMatchObject({ operation_id, phase: 'outcome', tx_outcome });
    }
    const outcome = await record(committed.operation_id as string, 'outcome');
    expect(outcome).toMatchObject({
      agent_id: world.agentId,
      capability_token_id: world.tokenId,
      tool_id: 'fs.write',
      task_class: 'general',
      autonomy_mode: committed.autonomy_mode,
      risk_score: committed.risk_score,
      result_hash: committed.result_hash,
      commit_delta_id: committed.commit_delta_id,
      new_snapshot_id: committed.new_snapshot_id,
      decision_record_id: (await record(committed.operation_id as string, 'decision')).record_id,
    });
    expect(JSON.stringify(outcome)).not.toContain('src/audit.txt');
    expectCleanLog(stack);
  });
});

describe('Policy mediation: policy engine is the sole authority for tool approval', () => {
  it('no role, token or field of a call permits what the policy forbids', async () => {
    const before = await head();
    for (const over of [
      {},
      { max_autonomy: 'autopilot' },
      { session_mode: 'interactive' },
      { task_class: 'maintenance' },
    ]) {
      const { body } = await world.call('shell.run', { command: 'rm -rf / --no-preserve-root' }, over);
      expect({ over, code: body.error?.code, mode: body.autonomy_mode }).toEqual({
        over,
        code: 'policy.denied',
        mode: 'no_go',
      });
    }
    const asAdmin = await world.admin.post('/v1/tool-calls', {
      agent_id: world.agentId,
      tool_id: 'shell.run',
      args: { command: 'rm -rf / --no-preserve-root' },
      capability_token_id: world.tokenId,
      workspace_id: world.workspaceId,
      idempotency_key: fresh(),
    });
    expect(asAdmin.body.error.code).toBe('policy.denied');
    expect(await head()).toBe(before);
  });

  it('a call that states its own policy, mode, risk or snapshot is refused', async () => {
    const own = {
      policy_hash: 'a'.repeat(64),
      autonomy_mode: 'autopilot',
      risk_score: 0,
      risk_basis: [],
      state_snapshot_id: `snap_${'a'.repeat(64)}`,
    };
    for (const [name, value] of Object.entries(own)) {
      const { status, body } = await world.call('fs.read', { path: 'src/a.txt' }, { [name]: value });
      expect([name, status, body.code]).toEqual([name, 400, 'request.malformed']);
      expect(body.detail).toContain(name);
    }
  });

  it('each decision names the policy that made it', async () => {
    const { body } = await world.call('fs.read', { path: 'src/a.txt' });
    expect((await record(body.operation_id as string, 'decision')).policy_hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('Delegation mediation: autonomy corridor and risk thresholds are evaluated before execution', () => {
  it('a destructive command is held, and commits only after an approval', async () => {
    await world.call('fs.write', { path: 'src/old/x.txt', content: 'x' });
    const { status, body } = await world.call('shell.run', { command: 'rm -rf src/old' });
    expect([status, body.state, body.attempt]).toEqual([202, 'held', 0]);
    expect(await world.file('src/old/x.txt')).toBe('x');
    await mustApproveShown(world.operator, body.approval_id);
    const done = await world.until(body.operation_id as string, ['committed']);
    // Approved during its preview, it runs after the approval; approved later, the previewed effect is committed.
    expect([0, 1]).toContain(done.attempt);
    expect(await world.file('src/old/x.txt')).toBeNull();
  });

  it('`max_autonomy` only lowers', async () => {
    const lowered = (
      await world.call('fs.write', { path: 'src/lowered.txt', content: 'x' }, { max_autonomy: 'soft_gate' })
    ).body;
    expect([lowered.state, lowered.autonomy_mode]).toEqual(['held', 'soft_gate']);
    const raised = (await world.call('shell.run', { command: 'rm -rf src' }, { max_autonomy: 'autopilot' })).body;
    expect(raised.state).toBe('held');
    for (const { approval_id } of [lowered, raised])
      await world.operator.must(`/v1/approvals/${approval_id as string}/deny`);
    expect(await world.file('src/lowered.txt')).toBeNull();
  });

  it('a session without approvers gets a refusal instead of a wait', async () => {
    const { status, body } = await world.call('shell.run', { command: 'rm -rf src' }, { session_mode: 'gateway' });
    expect([status, body.status, body.tx_outcome]).toEqual([200, 'error', 'rolled_back']);
  });
});

describe('Transactional safety: mutating calls are atomic (commit or rollback)', () => {
  it('a command that fails half-way leaves every byte as it was', async () => {
    const before = await head();
    const { body } = await world.call(
      'shell.run',
      { command: 'echo changed > src/a.txt; echo new > src/new.txt; rm -f src/audit.txt; exit 9' },
      { session_id: 'half-way' },
    );
    expect(body).toMatchObject({
      status: 'error',
      tx_outcome: 'rolled_back',
      error: { code: 'command.failed' },
      result: { exit_code: 9 },
    });
    expect(await head()).toBe(before);
    expect([await world.file('src/a.txt'), await world.file('src/new.txt')]).toEqual(['one\n', null]);
  });

  it('one change outside the write roots rolls back the changes inside them', async () => {
    const before = await head();
    const { body } = await world.call('shell.run', {
      command: 'echo fine > src/fine.txt; f=docs; echo outside > $f/b.txt',
    });
    expect(body).toMatchObject({ tx_outcome: 'rolled_back', error: { code: 'effect.out_of_scope' } });
    expect(await head()).toBe(before);
    expect(await world.file('src/fine.txt')).toBeNull();
  });

  it('an edit with one part that fails changes nothing', async () => {
    const { body } = await world.call('fs.edit', {
      path: 'src/a.txt',
      edits: [
        { find: 'one', replace: 'two' },
        { find: 'absent', replace: 'x' },
      ],
    });
    expect(body).toMatchObject({ tx_outcome: 'rolled_back', error: { code: 'edit.no_match' } });
    expect(await world.file('src/a.txt')).toBe('one\n');
  });

  it('a committed call commits all it did, in one new snapshot', async () => {
    const before = await head();
    const { body } = await world.call('shell.run', { command: 'echo 1 > src/one.txt; echo 2 > src/two.txt' });
    expect(body).toMatchObject({ status: 'ok', tx_outcome: 'committed', state_snapshot_id: before });
    expect(await head()).toBe(body.new_snapshot_id);
    expect([await world.file('src/one.txt'), await world.file('src/two.txt')]).toEqual(['1\n', '2\n']);
    const delta = (
      await world.admin.get(
        `/v1/workspaces/${world.workspaceId}/diff?from=${before}&to=${body.new_snapshot_id as string}`,
      )
    ).body;
    expect(delta.changes.map(({ path }: { path: string }) => path)).toEqual(['src/one.txt', 'src/two.txt']);
  });
});

describe('Replay safety: idempotency keys prevent duplicate side effects', () => {
  const append = (key: string, text = 'x', over: Record<string, unknown> = {}) =>
    world.call('shell.run', { command: `echo ${text} >> src/log-${key}.txt` }, { idempotency_key: key, ...over });

  it('the same key returns the original operation, running or ended, and nothing runs twice', async () => {
    const key = fresh();
    const answers = await Promise.all(Array.from({ length: 8 }, () => append(key)));
    answers.push(await append(key));
    expect(new Set(answers.map(({ body }) => body.operation_id)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.tx_outcome))).toEqual(new Set(['committed']));
    expect(answers.at(-1)!.headers.get('idempotent-replayed')).toBe('true');
    expect(await world.file(`src/log-${key}.txt`)).toBe('x\n');
    expect(await observer.outcomes(answers[0]!.body.operation_id as string)).toBe(1);
  });

  it('another call under the same key is refused, and a mutating call without a key too', async () => {
    const key = fresh();
    await append(key);
    expect((await append(key, 'y')).body.error.code).toBe('idempotency.mismatch');
    const other = await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['*'],
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 60_000,
      },
    });
    expect((await append(key, 'x', { capability_token_id: other.capability_token_id })).body.error.code).toBe(
      'idempotency.mismatch',
    );
    expect((await append(key, 'x', { idempotency_key: undefined })).body.error.code).toBe('idempotency.missing');
    expect(await world.file(`src/log-${key}.txt`)).toBe('x\n');
  });

  it('a rolled back call keeps its key; a refused one claims none', async () => {
    const key = fresh();
    const fail = () => world.call('shell.run', { command: 'exit 4' }, { idempotency_key: key });
    const [first, again] = [(await fail()).body, (await fail()).body];
    expect(again.operation_id).toBe(first.operation_id);
    expect([first.tx_outcome, again.tx_outcome]).toEqual(['rolled_back', 'rolled_back']);
    const free = fresh();
    expect(
      (await world.call('fs.write', { path: 'docs/no.txt', content: 'x' }, { idempotency_key: free })).body.error.code,
    ).toBe('token.scope');
    expect(
      (await world.call('fs.write', { path: 'src/yes.txt', content: 'x' }, { idempotency_key: free })).body.tx_outcome,
    ).toBe('committed');
  });
});
