// SPDX-License-Identifier: Apache-2.0
// Records are exported to other systems by the public API and the command line, and verify there.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { vi } from 'vitest';
import { parseKeySet, verifyReceiptFile, type KeySet } from '@writ/receipt';
import { decodeBase64, parseCheckpoint, verifyEnvelope, verifyNote } from '@writ/signing';
import { eventually, makeWorld, startStack, type JsonValue, type Stack, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const FORMATS = ['dsse', 'receipt', 'cloudevents', 'ocsf'] as const;
const CLI = join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js');

let stack: Stack;
let ours: World;
let theirs: World;
let keys: KeySet;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-exports-'));
  stack = await startStack();
  [ours, theirs] = (await Promise.all(
    [0, 1].map(() => makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } })),
  )) as [World, World];
  keys = parseKeySet(readFileSync(stack.keys.publicKeysFile));
  for (const world of [ours, theirs]) {
    const [done, refused, held] = [
      await world.call('fs.write', { path: 'b.txt', content: 'x' }),
      await world.call('web.fetch', { url: 'https://example.com/' }),
      await world.call('shell.run', { command: 'rm -rf deep' }),
    ];
    expect([done.body, refused.body, held.body]).toMatchObject([
      { status: 'ok' },
      { error: { code: 'token.tool' } },
      { state: 'held' },
    ]);
    for (const { body } of [done, refused, held])
      await eventually(
        'a receipt',
        async () => (await world.admin.get(`/v1/operations/${String(body.operation_id)}/receipt`)).status === 200,
      );
    // The last record: the preview of a held call runs after the answer, and its result is recorded when it is over.
    await eventually('the preview on record', async () =>
      (await exported(world, 'format=cloudevents')).some((line) => line.includes('"verb":"previewed"')),
    );
  }
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stack?.stop();
});

const env = (world: World) => ({
  PATH: process.env['PATH'] ?? '',
  WRIT_URL: stack.url,
  WRIT_API_KEY: String(world.auditor.key),
});
const writ = (world: World, ...args: string[]) =>
  spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
    env: env(world),
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  });
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const sizeOf = async (world: World): Promise<number> =>
  parseCheckpoint(verifyNote((await world.auditor.get('/v1/log/checkpoint')).text, keys.logKeys).text).treeSize;

async function exported(world: World, query: string): Promise<string[]> {
  const answer = await fetch(`${stack.url}/v1/exports/records?${query}`, {
    headers: { authorization: `Bearer ${String(world.auditor.key)}` },
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  return linesOf(await answer.text());
}

/** The whole log in a format, once everything is in it. */
async function whole(world: World, format: string): Promise<string[]> {
  const size = await eventually('a log that stands still', async () => {
    const before = await sizeOf(world);
    return (await exported(world, 'format=dsse')).length === before && (await sizeOf(world)) === before ? before : null;
  });
  const lines = await exported(world, `format=${format}`);
  expect(lines).toHaveLength(size);
  return lines;
}

test('every format has every record of the log once, in order, with the signed bytes unchanged', async () => {
  const verifiers = new Map([...keys.recordKeys].map(([keyid, { verifier }]) => [keyid, verifier]));
  const statements = (await whole(ours, 'dsse')).map((line, i) => {
    const { leaf_index, envelope } = JSON.parse(line) as { leaf_index: number; envelope: { payloadType: string } };
    expect(leaf_index).toBe(i);
    return JSON.parse(
      Buffer.from(verifyEnvelope(envelope, verifiers, 'application/vnd.in-toto+json')).toString(),
    ) as JsonValue;
  });
  const [receipts, events, activities] = [
    await whole(ours, 'receipt'),
    await whole(ours, 'cloudevents'),
    await whole(ours, 'ocsf'),
  ];
  for (const [i, statement] of statements.entries()) {
    const record = statement.predicate as JsonValue;
    expect(record.tenant_id).toBe(ours.tenantId);
    expect(verifyReceiptFile(`${receipts[i] ?? ''}\n`, keys).record).toEqual(record);
    expect(JSON.parse(events[i] ?? '')).toMatchObject({
      specversion: '1.0',
      id: record.record_id,
      sequence: String(i).padStart(16, '0'),
      data: statement,
    });
    expect(JSON.parse(activities[i] ?? '')).toMatchObject({
      class_uid: 6003,
      metadata: { uid: record.record_id, sequence: i, tenant_uid: ours.tenantId },
    });
  }
  const reported = activities
    .map((line) => JSON.parse(line) as JsonValue)
    .map(({ api, status, disposition }) => [(api as JsonValue).operation, status, disposition]);
  expect(reported).toEqual(
    expect.arrayContaining([
      ['fs.write', 'Success', 'Allowed'],
      ['web.fetch', 'Failure', 'Blocked'],
      ['shell.run', 'held', 'Delayed'],
      ['token.token_issued', 'Success', undefined],
    ]),
  );
});

test('a stream that is interrupted anywhere and resumed is complete', async () => {
  for (const format of FORMATS) {
    const lines = await whole(ours, format);
    for (const cut of [0, 3, lines.length - 2, lines.length - 1]) {
      const parts = [
        ...(await exported(ours, `format=${format}&limit=${String(cut + 1)}`)),
        ...(await exported(ours, `format=${format}&after=${String(cut)}`)),
      ];
      expect([format, cut, parts]).toEqual([format, cut, lines]);
    }
  }
});

test("a tenant's export has nothing of another's", async () => {
  for (const format of FORMATS) {
    const text = (await whole(ours, format))
      .map((line) =>
        format === 'dsse' || format === 'receipt'
          ? line +
            Buffer.from(
              decodeBase64((JSON.parse(line) as { envelope: { payload: string } }).envelope.payload),
            ).toString()
          : line,
      )
      .join('');
    for (const id of [theirs.tenantId, theirs.agentId, theirs.workspaceId, theirs.tokenId])
      expect([format, id, text.includes(id)]).toEqual([format, id, false]);
    expect(text).toContain(ours.agentId);
  }
  for (const role of ['agent'] as const)
    expect((await ours[role].get('/v1/exports/records')).body).toMatchObject({ code: 'auth.role' });
});

test('the command writes whole lines, resumes a file, and follows later records', async () => {
  const lines = await whole(ours, 'receipt');
  const file = join(folder, 'records.ndjson');
  expect(writ(ours, 'export', 'records', '--format', 'receipt', '--limit', '3', '--out', file)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('last'),
  });
  expect(writ(ours, 'export', 'records', '--format', 'receipt', '--out', file)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('is there already'),
  });
  expect(writ(ours, 'export', 'records', '--format', 'receipt', '--after', '2', '--out', file)).toMatchObject({
    status: 0,
  });
  expect(readFileSync(file, 'utf8')).toBe(lines.map((line) => `${line}\n`).join(''));
  // Each line is a receipt file.
  writeFileSync(join(folder, 'one.json'), `${lines[1] ?? ''}\n`);
  expect(writ(ours, 'verify', 'one.json', '--keys', stack.keys.publicKeysFile)).toMatchObject({ status: 0 });

  const tail = spawn(
    process.execPath,
    [CLI, 'export', 'records', '--format', 'cloudevents', '--after', String(lines.length - 1), '--follow'],
    { env: env(ours), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const received: JsonValue[] = [];
    createInterface({ input: tail.stdout }).on('line', (line) => received.push(JSON.parse(line) as JsonValue));
    const { body } = await ours.call('fs.write', { path: 'late.txt', content: 'x' });
    await eventually('a call that was made later is told of', async () =>
      received.some(
        ({ subject, type }) => subject === body.operation_id && type === 'dev.writ.record.tool_call.outcome.v1',
      ),
    );
    // The API restarts: the tail continues at the same position.
    await stack.services.orchestrator.kill();
    await stack.services.orchestrator.start();
    const again = await eventually('a call', async () => {
      const answer = await ours.call('fs.write', { path: 'later.txt', content: 'x' }).catch(() => null);
      return answer?.status === 200 ? answer.body : null;
    });
    await eventually(
      'a call after that is told of',
      async () => received.some(({ subject }) => subject === again.operation_id),
      60_000,
    );
    expect(received.map(({ sequence }) => Number(sequence))).toEqual(received.map((_, i) => lines.length + i));
  } finally {
    tail.kill();
  }
});

describe('a bundle', () => {
  const made = { session: '', range: '' };
  const verified = (file: string, ...args: string[]) =>
    spawnSync(process.execPath, [CLI, 'verify', file, '--keys', stack.keys.publicKeysFile, ...args], {
      encoding: 'utf8',
      env: {},
      cwd: folder,
    });

  beforeAll(async () => {
    const { body } = await ours.call('fs.write', { path: 'session.txt', content: 'x' }, { session_id: 'release-1' });
    await eventually(
      'a receipt',
      async () =>
        (await ours.admin.get(`/v1/operations/${String(body.operation_id)}/receipt?phase=outcome`)).status === 200,
    );
    made.session = join(folder, 'session.tar');
    made.range = join(folder, 'range.tar');
    expect(writ(ours, 'export', 'bundle', '--session', 'release-1', '--out', made.session)).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(writ(ours, 'export', 'bundle', '--since', '1970-01-01T00:00Z', '--out', made.range)).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  test('of a session has its records, their policy and tool, and verifies offline', async () => {
    const { status, stdout, stderr } = verified(made.session, '--json');
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      session_id: 'release-1',
      operations: 1,
      records: 2,
      missing: [],
      not_proven: [expect.stringContaining('all records of the session')],
    });
    expect(
      [...filesOf(readFileSync(made.session)).keys()].map((path) => path.replace(/[0-9a-f]{64}/, '<hash>')),
    ).toEqual([
      'checkpoint.txt',
      'keys.json',
      'receipts/000000.ndjson',
      'policies/<hash>.json',
      'tools/<hash>.json',
      'manifest.json',
    ]);
  });

  test('of all time has the whole log, and states that this is proven', async () => {
    const { status, stdout } = verified(made.range, '--json');
    const output = JSON.parse(stdout) as { records: number; tree_size: number; proven: string[]; not_proven: string[] };
    expect([status, output.records, output.not_proven]).toEqual([0, output.tree_size, []]);
    expect(output.proven).toContain('the bundle has the whole log up to its checkpoint');
  });

  test('of a time range has every leaf of it, and states what that does not prove', async () => {
    const receipts = filesOf(readFileSync(made.range))
      .get('receipts/000000.ndjson')!
      .toString('utf8')
      .trimEnd()
      .split('\n');
    const times = receipts.map((line) => verifyReceiptFile(`${line}\n`, keys).record.recorded_at);
    const since = times[3]!;
    const out = join(folder, 'part.tar');
    expect(writ(ours, 'export', 'bundle', '--since', new Date(since).toISOString(), '--out', out)).toMatchObject({
      status: 0,
    });
    const { status, stdout } = verified(out);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/no record is missing between leaf \d+ and leaf \d+/)]);
    expect(stdout).toContain('not proven: that no record of the range was logged before or after');
  });

  test('has nothing of another tenant, and no other key verifies it', async () => {
    const bytes = readFileSync(made.range).toString('latin1');
    for (const id of [theirs.tenantId, theirs.agentId]) expect(bytes.includes(id)).toBe(false);
    for (const query of ['', '?session=a&since=1', '?until=x'])
      expect((await ours.auditor.get(`/v1/exports/bundle${query}`)).body).toMatchObject({ code: 'request.malformed' });
    expect((await ours.agent.get('/v1/exports/bundle?since=0')).body).toMatchObject({ code: 'auth.role' });
    const strangers = join(folder, 'strangers.json');
    const published = JSON.parse(readFileSync(stack.keys.publicKeysFile, 'utf8')) as { record_keys: unknown[] };
    writeFileSync(strangers, JSON.stringify({ ...published, record_keys: [] }));
    expect(
      spawnSync(process.execPath, [CLI, 'verify', made.session, '--keys', strangers], {
        encoding: 'utf8',
        cwd: folder,
      }),
    ).toMatchObject({ status: 1, stderr: expect.stringContaining('error verify.signature') });
  });

  test('with any file changed, cut or added is refused, and the error names it', async () => {
    const whole = readFileSync(made.session);
    const broken = (bytes: Uint8Array): string => {
      const file = join(folder, 'broken.tar');
      writeFileSync(file, bytes);
      const { status, stderr } = verified(file);
      return `${String(status)} ${/^error (verify\.\w+): /.exec(stderr)?.[1] ?? stderr}`;
    };
    expect(broken(whole)).toBe('0 ');
    for (const [path, content] of filesOf(whole)) {
      const at = whole.indexOf(content) + Math.floor(content.length / 2);
      const changed = Buffer.from(whole);
      changed[at] = changed[at] === 0x41 ? 0x42 : 0x41;
      expect([path, broken(changed)]).toEqual([path, expect.stringMatching(/^1 verify\./)]);
      const without = packed([...filesOf(whole)].filter(([name]) => name !== path));
      expect([path, broken(without)]).toEqual([path, '1 verify.bundle']);
    }
    const files = [...filesOf(whole)];
    const [line = ''] = filesOf(whole)
      .get('receipts/000000.ndjson')!
      .toString('utf8')
      .split(/(?<=\n)/);
    for (const [what, bytes] of Object.entries({
      'cut in the middle': whole.subarray(0, whole.length / 2),
      'cut at its end': whole.subarray(0, whole.length - 512),
      longer: Buffer.concat([whole, Buffer.alloc(512)]),
      'with bytes behind it': Buffer.concat([whole, Buffer.from('x')]),
      'with a file behind the manifest': packed([...files, ['receipts/000001.ndjson', Buffer.from(line)]]),
      'with a receipt twice': packed(
        files.map(([name, content]) => [
          name,
          name.startsWith('receipts/') ? Buffer.concat([content, Buffer.from(line)]) : content,
        ]),
      ),
      'with a receipt less': packed(
        files.map(([name, content]) => [name, name.startsWith('receipts/') ? Buffer.from(line) : content]),
      ),
      'with a file elsewhere': packed([['../../etc/x', Buffer.from('x')], ...files]),
      'with a file of another name': packed([...files.slice(0, -1), ['x.txt', Buffer.from('x')], files.at(-1)!]),
      'of nothing': Buffer.alloc(1024),
      'that is none': Buffer.from('hello'.repeat(1000)),
      empty: Buffer.alloc(0),
    }))
      expect([what, broken(bytes)]).toEqual([what, '1 verify.bundle']);
    // The variants above failed for their change, and not for their packing: an unchanged bundle, packed anew,
    // verifies.
    expect(broken(packed(files))).toBe('0 ');
  });
});

/** The files of an archive, parsed without a library (POSIX.1-2001, ustar). */
function filesOf(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; archive[at] !== 0;) {
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 136), 8);
    files.set(archive.toString('utf8', at, archive.indexOf(0, at)), archive.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

/** Packs files as a bundle is packed. */
function packed(files: readonly (readonly [string, Uint8Array])[]): Buffer {
  const blocks = files.flatMap(([name, content]) => {
    const head = Buffer.alloc(512);
    const put = (at: number, text: string): void => {
      head.write(text, at, 'latin1');
    };
    put(0, name);
    put(100, '000644 \0');
    put(108, '000000 \0');
    put(116, '000000 \0');
    put(124, `${content.length.toString(8).padStart(11, '0')} `);
    put(136, '00000000000 ');
    put(148, ' '.repeat(8));
    put(156, '0');
    put(257, 'ustar\x0000');
    put(329, '000000 \0');
    put(337, '000000 \0');
    put(
      148,
      `${[...head]
        .reduce((all, byte) => all + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
    );
    return [head, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
