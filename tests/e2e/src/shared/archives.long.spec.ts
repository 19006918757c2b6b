// SPDX-License-Identifier: Apache-2.0
// Whole workspaces, imported and exported by the API and into a container: many small files, and a large one.
import { createHash, randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { makeWorld, sharedStack, type JsonValue, type SharedStack, type World } from '@writ/stack';
import { extract, pack } from 'tar-stream';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const FILES = 20_000;
const LONG_BYTES = 100 * 1024 * 1024;
const nameOf = (at: number): string => `flat/ä file ${String(at).padStart(5, '0')}.txt`;

let stack: SharedStack;
let world: World;
let longHash: string;
beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
});

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const at = (rest: string): string => `/v1/workspaces/${world.workspaceId}${rest}`;
const fetched = async (rest: string): Promise<Buffer> => {
  const answer = await fetch(`${stack.url}${at(rest)}`, {
    headers: { authorization: `Bearer ${world.admin.key ?? ''}` },
  });
  expect([rest, answer.status]).toEqual([rest, 200]);
  return Buffer.from(await answer.arrayBuffer());
};

async function archive(): Promise<Buffer> {
  const packing = pack();
  packing.entry({ name: 'flat/', type: 'directory' });
  packing.entry({ name: 'flat/empty/', type: 'directory' });
  for (let n = 0; n < FILES; n += 1)
    packing.entry({ name: nameOf(n), mode: n % 2 === 0 ? 0o644 : 0o755 }, `content ${n}`);
  packing.finalize();
  const parts: Buffer[] = [];
  for await (const part of packing) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function entriesOf(bytes: Buffer): Promise<Map<string, string>> {
  const reading = extract();
  reading.end(bytes);
  const found = new Map<string, string>();
  for await (const entry of reading) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(part as Buffer);
    found.set(
      entry.header.name,
      `${entry.header.type} ${entry.header.mode.toString(8)} ${Buffer.concat(parts).toString('utf8')}`,
    );
  }
  return found;
}

it('20,000 files of one directory are imported in one change, exported, reverted and restored', async () => {
  const before = (await world.admin.get(at(''))).body.head_snapshot_id as string;
  const imported = await world.admin.request('POST', at('/import'), await archive(), {
    'content-type': 'application/x-tar',
  });
  expect([imported.status, imported.text.slice(0, 300)]).toEqual([200, expect.stringContaining('head_snapshot_id')]);
  const entries = await entriesOf(await fetched('/export?path=flat'));
  expect(entries.size).toBe(FILES + 1);
  for (const n of [0, 1, FILES - 1])
    expect(entries.get(nameOf(n).slice('flat/'.length))).toBe(`file ${n % 2 === 0 ? '644' : '755'} content ${n}`);
  expect(entries.get('empty/')).toMatch(/^directory/);
  expect((await world.admin.must(at('/restore'), { at: before })).head_snapshot_id).toBe(before);
  const head = imported.body.head_snapshot_id as string;
  expect((await world.admin.must(at('/restore'), { at: head, if_head: before })).head_snapshot_id).toBe(head);
  const { items } = (await world.admin.get(at('/history?limit=3'))).body as { items: { kind: string }[] };
  expect(items.map(({ kind }) => kind)).toEqual(['restored', 'restored', 'imported']);
  const { body } = await world.call('fs.write', { path: nameOf(7), content: 'changed by a call' });
  expect(body).toMatchObject({ tx_outcome: 'committed' });
  expect((await fetched(`/files/${nameOf(7).split('/').map(encodeURIComponent).join('/')}`)).toString()).toBe(
    'changed by a call',
  );
});

it('a file of 100 MiB goes in and comes out byte for byte', async () => {
  const content = randomBytes(LONG_BYTES);
  const put = await world.admin.request('PUT', at('/files/long.bin'), content, {
    'content-type': 'application/octet-stream',
  });
  expect([put.status, put.text.slice(0, 300)]).toEqual([200, expect.anything()]);
  longHash = hashOf(content);
  expect(hashOf(await fetched('/files/long.bin'))).toBe(longHash);
});

/**
 * Runs a command to its end, however long it takes on this machine; returns its output, and its base and new snapshot.
 */
async function committed(command: string): Promise<{ output: string; from: string; to: string }> {
  const { body } = await world.call('shell.run', { command, timeout_ms: 120_000 });
  const { result, state_snapshot_id, new_snapshot_id } = (
    await world.until(body.operation_id as string, ['committed'], 150_000)
  ).result as JsonValue;
  return { output: result.output as string, from: state_snapshot_id as string, to: new_snapshot_id as string };
}

it('a command finds all of them in its container, and only its changes are transferred back', async () => {
  const [gone, moved, changed] = [11, 12, 13].map((n) => `"${nameOf(n)}"`);
  const { output, from, to } = await committed(
    `ls flat | wc -l; sha256sum long.bin | cut -c1-64; rm ${gone}; mv ${moved} moved.txt; printf changed > ${changed}; chmod 755 a.txt`,
  );
  expect(output).toBe(`${FILES + 1}\n${longHash}\n`);
  const { body } = await world.admin.get(at(`/diff?from=${from}&to=${to}`));
  expect((body.changes as { path: string }[]).map(({ path }) => path).sort()).toEqual([
    'a.txt',
    ...[11, 12, 13].map(nameOf),
    'moved.txt',
  ]);
});

it('a file of 100 MiB that a command makes comes back byte for byte', async () => {
  const { output } = await committed(`head -c ${LONG_BYTES} /dev/urandom > made.bin; sha256sum made.bin | cut -c1-64`);
  expect(`${hashOf(await fetched('/files/made.bin'))}\n`).toBe(output);
});
