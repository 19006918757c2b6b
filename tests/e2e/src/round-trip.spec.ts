// SPDX-License-Identifier: Apache-2.0
// Files are copied into a container and back: unchanged files arrive unchanged, and the wire carries only what is
// needed. A proxy counts the bytes between the executor and the blob store.
import { createHash, randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { makeWorld, Proxy, startStack, type JsonValue, type Stack, type World } from '@writ/stack';
import { testDatabase, type TestDatabase } from '@writ/testing';
import { extract, pack } from 'tar-stream';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const FILES = 500;
const LONG = randomBytes(8 * 1024 * 1024);
/** Bytes of statements and of changed directory nodes: far less than any unneeded content. */
const LITTLE = 512 * 1024;
const SMALL = { 'ünïcode ☃.sh': 'echo hello\n', 'deep/er/two.txt': 'two\n' };
const nameOf = (at: number): string => `flat/ä file ${String(at).padStart(5, '0')}.txt`;

let database: TestDatabase;
let store: Proxy;
let travelled = 0;
let stack: Stack;
let world: World;

beforeAll(async () => {
  database = await testDatabase();
  const { hostname, port } = new URL(database.ownerUrl);
  store = await Proxy.to({ host: hostname, port: Number(port) });
  store.tap((bytes) => {
    travelled += bytes.length;
  });
  const urlFor: TestDatabase['urlFor'] = (role) => {
    const url = new URL(database.urlFor(role));
    if (role === 'writ_executor') url.host = `127.0.0.1:${store.port}`;
    return url.href;
  };
  stack = await startStack({ database: { ...database, urlFor } });
  world = await makeWorld(stack.url, stack.keys.platformKey);
  const imported = await world.admin.request('POST', at('/import'), await archive(), {
    'content-type': 'application/x-tar',
  });
  expect([imported.status, imported.text]).toEqual([200, expect.stringContaining('head_snapshot_id')]);
});
afterAll(async () => {
  await stack?.stop();
  await store?.close();
  await database?.drop();
});
beforeEach(() => {
  travelled = 0;
});

const at = (rest: string): string => `/v1/workspaces/${world.workspaceId}${rest}`;

async function archive(): Promise<Buffer> {
  const packing = pack();
  packing.entry({ name: 'flat/empty/', type: 'directory' });
  for (let n = 0; n < FILES; n += 1)
    packing.entry({ name: nameOf(n), mode: n % 2 === 0 ? 0o644 : 0o755 }, `content ${n}`);
  for (const [name, content] of Object.entries(SMALL)) packing.entry({ name: `small/${name}`, mode: 0o755 }, content);
  packing.entry({ name: 'small/link', type: 'symlink', linkname: '../flat/empty' });
  packing.entry({ name: 'long.bin' }, LONG);
  packing.finalize();
  const parts: Buffer[] = [];
  for await (const part of packing) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** The exported files: `kind mode content` by name. */
async function exported(): Promise<Map<string, string>> {
  const answer = await fetch(`${stack.url}${at('/export')}`, {
    headers: { authorization: `Bearer ${world.admin.key ?? ''}` },
  });
  expect(answer.status).toBe(200);
  const reading = extract();
  reading.end(Buffer.from(await answer.arrayBuffer()));
  const found = new Map<string, string>();
  for await (const entry of reading) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(part as Buffer);
    const { name, type, mode, linkname } = entry.header;
    found.set(
      name,
      type === 'file'
        ? `file ${mode.toString(8)} ${Buffer.concat(parts).toString('latin1')}`
        : `${type} ${linkname ?? ''}`,
    );
  }
  return found;
}

async function shell(command: string): Promise<JsonValue> {
  const { status, text, body } = await world.call('shell.run', { command });
  expect([status, text]).toEqual([status === 202 ? 202 : 200, expect.stringContaining('operation_id')]);
  return await world.until(body.operation_id as string, ['committed', 'rolled_back', 'no_op']);
}

const LOOKS =
  'ls flat | wc -l; sha256sum < long.bin; ls -ld flat/empty | cut -c1; readlink small/link; for n in 0 1; do stat -c %A "flat/ä file 0000$n.txt"; done; cat flat/ä* | wc -c';
const SEEN = [
  `${FILES + 1}`,
  `${createHash('sha256').update(LONG).digest('hex')}  -`,
  'd',
  '../flat/empty',
  '-rw-r--r--',
  '-rwxr-xr-x',
  `${Array.from({ length: FILES }, (_, n) => `content ${n}`).join('').length}`,
  '',
].join('\n');

it('a command finds names, modes, links, empty directories and contents as they were imported', async () => {
  expect(await shell(LOOKS)).toMatchObject({ state: 'no_op', result: { result: { exit_code: 0, output: SEEN } } });
  // Each content is transferred once.
  expect(travelled).toBeGreaterThan(LONG.length);
});

it('a second call on the same files fetches none of them again', async () => {
  expect(await shell(LOOKS)).toMatchObject({ state: 'no_op', result: { result: { output: SEEN } } });
  expect(travelled).toBeLessThan(LITTLE);
});

it('only the changes of a command are transferred back, and they are exported', async () => {
  const before = await exported();
  const from = (await world.admin.get(at(''))).body.head_snapshot_id as string;
  const changed = await shell(
    [
      `printf changed > "${nameOf(2)}"`,
      `rm "${nameOf(3)}" "${nameOf(4)}"`,
      `chmod 755 "${nameOf(6)}"`,
      'mv small renamed',
      'ln -s renamed/deep "ein Verweis"',
      'mkdir -p "leer/ganz leer"',
      'rmdir flat/empty',
    ].join(' && '),
  );
  expect(changed).toMatchObject({ state: 'committed' });
  expect(travelled).toBeLessThan(LITTLE);
  const { changes } = (await world.admin.get(at(`/diff?from=${from}`))).body as { changes: { path: string }[] };
  const moved = ['', '/deep', '/deep/er', '/link', ...Object.keys(SMALL).map((name) => `/${name}`)];
  expect(changes.map(({ path }) => path).toSorted()).toEqual(
    [
      ...[2, 3, 4, 6].map(nameOf),
      'flat/empty',
      'ein Verweis',
      'leer',
      'leer/ganz leer',
      ...moved.flatMap((rest) => [`small${rest}`, `renamed${rest}`]),
    ].toSorted(),
  );

  const after = await exported();
  const gone = [nameOf(3), nameOf(4), 'flat/empty/', ...[...before.keys()].filter((name) => name.startsWith('small'))];
  const come = [...before]
    .filter(([name]) => name.startsWith('small'))
    .map(([name, what]): [string, string] => [name.replace('small', 'renamed'), what]);
  const expected = new Map([
    ...[...before].filter(([name]) => !gone.includes(name)),
    ...come,
    [nameOf(2), 'file 644 changed'],
    [nameOf(6), 'file 755 content 6'],
    ['ein Verweis', 'symlink renamed/deep'],
    ['leer/', 'directory '],
    ['leer/ganz leer/', 'directory '],
  ]);
  expect(new Map([...after].toSorted())).toEqual(new Map([...expected].toSorted()));
});
