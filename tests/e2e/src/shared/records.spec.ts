// SPDX-License-Identifier: Apache-2.0
// An auditor searches records through the public API and with the CLI, and gets a receipt that verifies.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { parseKeySet, verifyReceiptFile } from '@writ/receipt';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  sharedStack,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let stack: SharedStack;
let world: World;
let written: string;
let refused: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-records-'));
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  written = (await world.call('fs.write', { path: 'b.txt', content: 'x' }, { provenance: { session_id: 'nightly' } }))
    .body.operation_id as string;
  refused = (await world.call('fs.read', { path: '../../etc/passwd' })).body.operation_id as string;
  await settled(world);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const find = async (of: World, query = ''): Promise<JsonValue> => {
  const { status, body } = await of.auditor.get(`/v1/records?${query}`);
  if (status !== 200) throw new Error(`${query}: ${String(status)} ${JSON.stringify(body)}`);
  return body;
};
const items = async (of: World, query = ''): Promise<JsonValue[]> => (await find(of, query)).items as JsonValue[];
/** Both records of each call are in the log, and all of the log is indexed. */
const settled = (of: World): Promise<unknown> =>
  eventually(
    'the index reaches the end of the log',
    async () => {
      const { indexed_to, tree_size } = await find(of);
      return (
        indexed_to === tree_size &&
        (await items(of, `operation=${written}`)).length === 2 &&
        (await items(of, `operation=${refused}`)).length > 0
      );
    },
    90_000,
  );

test('records are found by their own fields, and by no others', async () => {
  const [outcome, decision] = await items(world, `operation=${written}`);
  expect([outcome, decision]).toMatchObject([
    {
      operation_id: written,
      phase: 'outcome',
      outcome: 'committed',
      tool_id: 'fs.write',
      agent_id: world.agentId,
      is_drawn: true,
    },
    { phase: 'decision', verdict: 'admitted', session_id: 'nightly' },
  ]);
  const { body: record } = await world.auditor.get(`/v1/records/${String(outcome!.leaf_index)}`);
  const { new_snapshot_id } = (record.statement as JsonValue).predicate as JsonValue;
  const places = async (query: string): Promise<unknown[]> =>
    (await items(world, `operation=${written}&${query}`)).map(({ phase }) => phase);
  expect(await places('session=nightly')).toEqual(['outcome', 'decision']);
  expect(await places(`agent=${world.agentId}&tool=fs.write`)).toEqual(['outcome', 'decision']);
  expect(await places(`resource=${world.workspaceId}`)).toEqual(['outcome', 'decision']);
  expect(await places(`resource=${String(new_snapshot_id).slice(0, 20)}*`)).toEqual(['outcome']);
  expect(await places('outcome=committed')).toEqual(['outcome']);
  expect(await places('order=oldest')).toEqual(['decision', 'outcome']);
  for (const none of [
    'tool=fs.read',
    'session=other',
    'verdict=refused',
    'resource=wsp_nothing',
    'since=2999-01-01T00:00Z',
    'until=2001-01-01T00:00Z',
    'text=nothing',
  ])
    expect([none, await places(none)]).toEqual([none, []]);
  const [why] = await items(world, `operation=${refused}`);
  expect(why).toMatchObject({ verdict: 'refused' });
  expect((await items(world, `text=${String(why!.fault_code)}`)).map(({ operation_id }) => operation_id)).toContain(
    refused,
  );
  expect((await items(world, 'type=workspace')).length).toBeGreaterThan(0);
});

test('a page continues where the last one ended, only with the same filters', async () => {
  const all = (await items(world, 'limit=200')).map(({ leaf_index }) => leaf_index);
  const seen: unknown[] = [];
  for (let cursor = ''; ;) {
    const page = await find(world, `limit=2${cursor}`);
    seen.push(...(page.items as JsonValue[]).map(({ leaf_index }) => leaf_index));
    if (page.next_cursor === null) break;
    cursor = `&cursor=${String(page.next_cursor)}`;
    const { status, body } = await world.auditor.get(`/v1/records?limit=2&verdict=refused${cursor}`);
    expect([status, body.code, body.detail]).toEqual([
      400,
      'query.invalid',
      expect.stringContaining('`cursor` is of a question with other filters'),
    ]);
  }
  expect(seen).toEqual(all);
});

test("another tenant's records are found by no filter, index or cursor", async () => {
  const stranger = await makeWorld(stack.url, stack.keys.platformKey);
  const { next_cursor } = await find(world, 'limit=1');
  expect(await items(stranger, `operation=${written}`)).toEqual([]);
  expect(await items(stranger, `resource=${world.workspaceId}`)).toEqual([]);
  expect((await items(stranger, 'limit=200')).filter(({ agent_id }) => agent_id === world.agentId)).toEqual([]);
  expect((await stranger.auditor.get(`/v1/records?limit=1&cursor=${String(next_cursor)}`)).status).toBe(400);
  const beyond = (await find(stranger)).tree_size as number;
  expect((await stranger.auditor.get(`/v1/records/${String(beyond + 1_000)}`)).body.code).toBe('not_found');
  const [ours] = await items(world, `operation=${written}`);
  expect((await stranger.auditor.get(`/v1/records/${String(ours!.leaf_index)}`)).text).not.toContain(written);
});

test('the CLI lists records, shows one, and fetches the receipt of any kind of record', async () => {
  const file = join(folder, 'record.receipt.json');
  const writ = (...args: string[]): { status: number | null; out: string; err: string } => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(repositoryRoot(), 'apps', 'cli', 'bin', 'writ.mjs'), 'records', ...args],
      {
        encoding: 'utf8',
        cwd: folder,
        env: { PATH: process.env['PATH'], WRIT_URL: stack.url, WRIT_API_KEY: String(world.auditor.key) },
      },
    );
    return { status, out: stdout, err: stderr };
  };
  const listed = writ('list', '--operation', written, '--since', '1d');
  expect(listed).toMatchObject({ status: 0, err: '' });
  expect(listed.out).toMatch(/outcome +fs\.write +committed/);
  const {
    items: [workspace],
  } = JSON.parse(writ('--type', 'workspace', '--json').out) as { items: JsonValue[] };
  const shown = writ('show', String(workspace!.leaf_index), '--receipt', file);
  expect(shown).toMatchObject({ status: 0, err: '' });
  expect(shown.out).toContain(String(workspace!.record_id));
  expect(
    verifyReceiptFile(readFileSync(file), parseKeySet(readFileSync(stack.keys.publicKeysFile))).record.record_id,
  ).toBe(workspace!.record_id);
  expect(writ('list', '--verdict', 'maybe')).toMatchObject({
    status: 1,
    err: expect.stringContaining('verdict') as string,
  });
});

test('the index that the processes wrote agrees with the log', () => {
  expectCleanLog(stack);
});
