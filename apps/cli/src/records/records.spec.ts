// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, writ, type FakeApi, type CliResult } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const ROW = {
  leaf_index: 7,
  recorded_at: 1_767_225_600_000,
  record_id: IDS.record,
  type: 'tool_call',
  phase: 'decision',
  operation_id: IDS.operation,
  agent_id: IDS.agent,
  tool_id: 'shell.run',
  session_id: null,
  verdict: 'refused',
  outcome: null,
  fault_code: 'policy.denied',
  risk_score: 0.75,
  is_drawn: true,
};
const UNKNOWN = {
  ...ROW,
  leaf_index: 6,
  type: 'x\u202e',
  phase: null,
  operation_id: null,
  tool_id: null,
  verdict: null,
  fault_code: null,
  risk_score: null,
  is_drawn: false,
};
const RECEIPT = { any: 'bytes' };
let page = { items: [ROW, UNKNOWN], next_cursor: null as string | null, indexed_to: 8, tree_size: 8 };

let api: FakeApi;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'writ-records-'));
  api = await fakeApi(({ url }) => {
    if (url.endsWith('/receipt')) return { body: RECEIPT };
    // The program doesn't follow a server to another address.
    if (url.startsWith('/v1/records/'))
      return {
        body: {
          leaf_index: 7,
          tree_size: 8,
          statement: { predicate: { kind: 'tool_call' } },
          receipt: 'http://elsewhere.test/',
        },
      };
    return { body: page };
  });
});
afterAll(async () => {
  await api.close();
  rmSync(dir, { recursive: true });
});
beforeEach(() => {
  api.requests.length = 0;
});

const records = (...args: string[]): Promise<CliResult> => writ(['records', ...args], { env: api.env });

test('`writ records list` sends every filter', async () => {
  await records(
    'list',
    '--agent',
    IDS.agent,
    '--tool',
    'fs.read',
    '--session',
    's',
    '--operation',
    IDS.operation,
    '--type',
    'tool_call',
    '--verdict',
    'refused',
    '--outcome',
    'no_op',
    '--risk-min',
    '0.5',
    '--risk-max',
    '1',
    '--since',
    '2026-01-31T09:30:00Z',
    '--until',
    '2026-02-01T00:00:00Z',
    '--resource',
    'wsp_01*',
    '--text',
    'policy denied',
    '--order',
    'oldest',
    '--limit',
    '9',
    '--cursor',
    'c',
  );
  expect(Object.fromEntries(new URL(`http://x${api.requests[0]!.url}`).searchParams)).toEqual({
    agent: IDS.agent,
    tool: 'fs.read',
    session: 's',
    operation: IDS.operation,
    type: 'tool_call',
    verdict: 'refused',
    outcome: 'no_op',
    risk_min: '0.5',
    risk_max: '1',
    since: '2026-01-31T09:30:00Z',
    until: '2026-02-01T00:00:00Z',
    resource: 'wsp_01*',
    text: 'policy denied',
    order: 'oldest',
    limit: '9',
    cursor: 'c',
  });
});

test('a period counts back from now, and anything but a period or a moment is refused', async () => {
  const before = Date.now();
  await records('--since', '2h');
  const since = Date.parse(new URL(`http://x${api.requests[0]!.url}`).searchParams.get('since') as string);
  expect(since).toBeGreaterThanOrEqual(before - 7_200_000);
  expect(since).toBeLessThanOrEqual(Date.now() - 7_200_000);
  expect(await records('--since', 'yesterday')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--since yesterday') as string,
  });
});

test('the table shows decisions and reasons, and also records of an unknown version', async () => {
  const { out } = await records();
  expect(out).toMatch(/7 +2026-01-01T00:00:00Z +decision +shell\.run +refused +policy\.denied +0\.75 +op_/);
  expect(out).toMatch(/6 +2026-01-01T00:00:00Z +x\\u\{202e\} +of an unknown version +rec_/);
  expect(out).not.toMatch(/indexed|more/);
});

test("the list reports further pages and records that aren't indexed yet", async () => {
  page = { items: [ROW], next_cursor: 'c2', indexed_to: 8, tree_size: 9 };
  const { out } = await records();
  expect(out).toContain('indexed: the first 8 of 9 records\nmore: the same with --cursor c2');
  expect(JSON.parse((await records('--json')).out)).toEqual(page);
});

test('a record is shown as signed, and its receipt is written byte for byte', async () => {
  const file = join(dir, 'r.json');
  const { out, exit } = await records('show', '7', '--receipt', file);
  expect([exit, out]).toEqual([0, expect.stringContaining('"kind": "tool_call"')]);
  expect(api.requests.map(({ url }) => url)).toEqual(['/v1/records/7', '/v1/records/7/receipt']);
  expect(readFileSync(file, 'utf8')).toBe(JSON.stringify(RECEIPT));
  expect(await records('show', '../agents')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('no place in a log') as string,
  });
});
