// SPDX-License-Identifier: Apache-2.0
// One agent of the tool capability API at work: it proposes calls as envelopes of its own, and goes on from each result
// envelope. It prepares, commits, is rolled back, repeats, meets each invariant, and verifies every receipt offline.
import { createHash } from 'node:crypto';
import { vi } from 'vitest';
import { mustApproveShown, type JsonValue } from '@writ/stack';
import { Talk } from './talk.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const SESSION = 'capability-conversation';
const FILES = { 'src/a.txt': 'one\n', 'docs/b.txt': 'two\n' };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a result envelope must have (TOOL-01 §2). */
const RESULT_FIELDS = [
  'tool_id',
  'agent_id',
  'state_snapshot_id',
  'status',
  'result_hash',
  'provenance',
  'operation_id',
  'task_class',
  'autonomy_mode',
  'risk_score',
  'tx_outcome',
];
/** What an audit record must have (TOOL-01 §3). */
const RECORD_FIELDS = [
  'agent_id',
  'policy_hash',
  'state_snapshot_id',
  'capability_token_id',
  'tool_id',
  'args_hash',
  'result_hash',
  'provenance',
  'task_class',
  'autonomy_mode',
  'risk_score',
  'risk_basis',
];

let talk: Talk;
let token: string;
let calls = 0;
beforeAll(async () => {
  talk = await Talk.open('talk-capability', FILES);
  token = await talk.token({
    tools: ['fs.*', 'shell.run', 'net.egress'],
    fs: [
      { path: '', read: true, write: false },
      { path: 'src', read: true, write: true },
    ],
    net: [{ domain: 'api.example.org', methods: ['GET'] }],
    budgets: { calls: 50, disk_write_bytes: 1_000_000 },
  });
});
afterAll(async () => {
  await talk?.close();
});

/** Proposes a call. A mutating one gets a key of its own unless it has one. */
async function propose(tool_id: string, args: object, over: Readonly<Record<string, unknown>> = {}) {
  const { headers, body } = await talk.world.call(tool_id, args, {
    capability_token_id: token,
    session_id: SESSION,
    task_class: 'refactoring',
    idempotency_key: `call-${(calls += 1)}`,
    ...over,
  });
  return { ...(body as JsonValue), wasReplayed: headers.get('idempotent-replayed') === 'true' } as JsonValue;
}
const head = async (): Promise<string> =>
  (await talk.world.admin.get(`/v1/workspaces/${talk.world.workspaceId}`)).body.head_snapshot_id as string;

it('prepares and commits: preconditions hold, one delta is appended, and the result has every field', async () => {
  const read = await propose('fs.read', { path: 'src/a.txt' });
  expect(read).toMatchObject({
    status: 'ok',
    tx_outcome: 'no_op',
    task_class: 'refactoring',
    autonomy_mode: 'autopilot',
  });
  const written = await propose(
    'fs.write',
    { path: 'src/a.txt', content: 'changed\n' },
    { precondition_refs: [{ kind: 'path', ref: 'src/a.txt', version: read.result.sha256 }] },
  );
  expect(written).toMatchObject({ status: 'ok', tx_outcome: 'committed', state_snapshot_id: read.state_snapshot_id });
  expect(written.commit_delta_id).toMatch(/^delta_/);
  expect(await head()).toBe(written.new_snapshot_id);
  for (const field of RESULT_FIELDS) expect([field, written[field]]).toEqual([field, expect.anything()]);
});

it('rolls back: a stale precondition, a failing command and a forbidden effect leave nothing behind', async () => {
  const before = await head();
  const stale = await propose(
    'fs.write',
    { path: 'src/a.txt', content: 'lost\n' },
    { precondition_refs: [{ kind: 'path', ref: 'src/a.txt', version: sha256('one\n') }] },
  );
  expect(stale).toMatchObject({ status: 'error', tx_outcome: 'rolled_back', error: { code: 'precondition.failed' } });
  const failed = await propose('shell.run', { command: 'echo half > src/half.txt; exit 3' });
  expect(failed).toMatchObject({ status: 'error', tx_outcome: 'rolled_back', error: { code: 'command.failed' } });
  const outside = await propose('shell.run', { command: 'echo in > src/in.txt; d=docs; echo out > $d/b.txt' });
  expect(outside).toMatchObject({ tx_outcome: 'rolled_back', error: { code: 'effect.out_of_scope' } });
  expect([await head(), await talk.world.file('src/half.txt')]).toEqual([before, null]);
});

it('replays: the same tuple gets the original outcome, and any other use of its key fails closed', async () => {
  const append = (over: object = {}, args: object = { command: 'echo x >> src/log.txt' }) =>
    propose('shell.run', args, { idempotency_key: 'append-once', ...over });
  const first = await append();
  const again = await append();
  expect(first).toMatchObject({ tx_outcome: 'committed', wasReplayed: false });
  expect(again).toMatchObject({
    operation_id: first.operation_id,
    commit_delta_id: first.commit_delta_id,
    result_hash: first.result_hash,
    wasReplayed: true,
  });
  expect(await talk.world.file('src/log.txt')).toBe('x\n');
  const other = await talk.token({ tools: ['shell.run'] });
  const misused = [
    await append({}, { command: 'echo y >> src/log.txt' }),
    await append({ capability_token_id: other }),
    await append({ idempotency_key: undefined }),
  ];
  expect(misused.map(({ tx_outcome, error }) => [tx_outcome, error.code as string])).toEqual([
    ['rolled_back', 'idempotency.mismatch'],
    ['rolled_back', 'idempotency.mismatch'],
    ['rolled_back', 'idempotency.missing'],
  ]);
  expect(await talk.world.file('src/log.txt')).toBe('x\n');
});

it('meets the invariants: no bypass, policy, delegation and budgets decide before anything runs', async () => {
  const revoked = await talk.token({ tools: ['fs.*'] });
  await talk.world.admin.must(`/v1/capability-tokens/${revoked}/revoke`);
  const write = { path: 'src/never.txt', content: 'x' };
  const refusals = [
    await propose('fs.write', write, { capability_token_id: revoked }),
    await propose('fs.write', { ...write, path: 'docs/never.txt' }),
    await propose('net.egress', { route: { method: 'GET', url: 'https://elsewhere.example/' }, purpose: 'to look' }),
    await propose('shell.run', { command: 'rm -rf /' }),
    await propose('no.such_tool', {}),
    await propose('fs.write', write, {
      capability_token_id: await talk.token({ tools: ['fs.*'], budgets: { calls: 0 } }),
    }),
  ];
  expect(refusals.map(({ error }) => error.code as string)).toEqual([
    'token.revoked',
    'token.scope',
    'token.scope',
    'policy.denied',
    'tool.unknown',
    'budget.exhausted',
  ]);
  for (const each of refusals) expect(each).toMatchObject({ status: 'error', tx_outcome: 'rolled_back' });
  const own = await propose('fs.read', { path: 'src/a.txt' }, { autonomy_mode: 'autopilot', risk_score: 0 });
  expect(own).toMatchObject({ status: 400, code: 'request.malformed' });
  const held = await propose('fs.write', { path: 'src/held.txt', content: 'x' }, { max_autonomy: 'soft_gate' });
  expect(held).toMatchObject({ state: 'held', autonomy_mode: 'soft_gate' });
  await mustApproveShown(talk.world.operator, held.approval_id);
  await talk.world.until(held.operation_id as string, ['committed']);
  expect(await talk.world.file('src/held.txt')).toBe('x');
});

it('is audited: every call has a record with every field, whose receipt verifies offline', async () => {
  const records = await talk.records(SESSION);
  expect(records.map(({ tool_id, tx_outcome }) => [tool_id, tx_outcome])).toEqual([
    ['fs.read', 'no_op'],
    ['fs.write', 'committed'],
    ['fs.write', 'rolled_back'],
    ['shell.run', 'rolled_back'],
    ['shell.run', 'rolled_back'],
    ['shell.run', 'committed'],
    ...Array.from({ length: 3 }, () => ['shell.run', 'rolled_back']),
    ['fs.write', 'rolled_back'],
    ['fs.write', 'rolled_back'],
    ['net.egress', 'rolled_back'],
    ['shell.run', 'rolled_back'],
    ['no.such_tool', 'rolled_back'],
    ['fs.write', 'rolled_back'],
    ['fs.write', 'committed'],
  ]);
  for (const record of records) for (const field of RECORD_FIELDS) expect(record).toHaveProperty(field);
  const committed = records.filter(({ tx_outcome }) => tx_outcome === 'committed');
  for (const record of committed)
    for (const field of RECORD_FIELDS)
      expect([field, record[field as keyof typeof record]]).toEqual([field, expect.anything()]);
});
