// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Change } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { encodeNode, snapshotIdOf } from '@writ/workspace';
import { extract, pack, type Pack } from 'tar-stream';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});

type Packed = readonly [Parameters<Pack['entry']>[0], string?];
/** An archive of these entries, as another program would write it. */
async function tar(...entries: readonly Packed[]): Promise<Buffer> {
  const packing = pack();
  for (const [header, content] of entries) packing.entry(header, content ?? '');
  packing.finalize();
  const parts: Buffer[] = [];
  for await (const part of packing) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
/** The header of an entry whose content never comes. */
async function beginningOf(header: Packed[0]): Promise<Buffer> {
  const packing = pack();
  packing.entry(header).on('error', () => undefined);
  for await (const part of packing) return part as Buffer;
  throw new Error('an entry has a header');
}
const file = (name: string, content = name, mode = 0o644): Packed => [{ name, mode }, content];
/** An extended header with this content, for the entry behind it (`x`) or for all of them (`g`), and one entry. */
async function extended(flag: 'x' | 'g', content: string): Promise<Buffer> {
  const bytes = await tar(file('header', content));
  bytes.write(flag, 156);
  bytes.fill(' ', 148, 156);
  bytes.write(
    `${bytes
      .subarray(0, 512)
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return Buffer.concat([bytes.subarray(0, -1024), await tar(file('behind'))]);
}
/** An attribute that makes an extended header so long. */
const attribute = (bytes: number): string => `${bytes} a=${'x'.repeat(bytes - String(bytes).length - 4)}\n`;

const put = (archive: Uint8Array, query = '', media = 'application/x-tar', id = has.workspace_id) =>
  api.ask('POST', `/v1/workspaces/${id}/import${query}`, {
    key: tenant.operator,
    text: archive,
    headers: { 'content-type': media },
  });
/** What the kernel was asked to make of an archive. */
async function imported(): Promise<{ changes: Change[]; path: string; replace: boolean } | null> {
  const asked = api.kernel.requests.find(({ verb }) => verb === 'workspace.import')?.request as
    { changes_ref: { sha256: string }; path: string; replace: boolean } | undefined;
  if (asked === undefined) return null;
  const bytes = await api.blobs.get(tenant.tenantId, asked.changes_ref.sha256);
  return {
    changes: JSON.parse(Buffer.from(bytes).toString('utf8')) as Change[],
    path: asked.path,
    replace: asked.replace,
  };
}
const state = (content: string, mode: '644' | '755' = '644') => ({
  kind: 'file',
  mode,
  sha256: sha256Hex(Buffer.from(content)),
  size: Buffer.byteLength(content),
});

describe('an import', () => {
  it('brings files, modes, links, empty directories and non-ASCII names, in one change', async () => {
    const long = `${'d'.repeat(120)}/${'ü'.repeat(90)}`;
    const big = 'x'.repeat(3 * 1024 * 1024);
    const archive = await tar(
      [{ name: './', type: 'directory' }],
      file('./a.txt'),
      file('run', '#!', 0o755),
      [{ name: 'empty/', type: 'directory' }],
      [{ name: 'up', type: 'symlink', linkname: '../a.txt' }],
      file(long),
      file('big', big),
      [{ name: 'second', type: 'link', linkname: 'big' }],
      file('void', ''),
    );
    expect((await put(archive, '?path=/workspace/into&replace=true')).status).toBe(200);
    const { changes, path, replace } = (await imported())!;
    expect([path, replace]).toEqual(['into', true]);
    expect(Object.fromEntries(changes.map(({ path: at, after }) => [at, after]))).toEqual({
      'into/a.txt': state('./a.txt'),
      'into/run': state('#!', '755'),
      'into/empty': { kind: 'dir', mode: null, sha256: null, size: 0 },
      'into/up': { kind: 'symlink', mode: null, sha256: sha256Hex(Buffer.from('../a.txt')), size: 8 },
      [`into/${long}`]: state(long),
      'into/big': state(big),
      'into/second': state(big),
      'into/void': state(''),
    });
    const named = changes.flatMap(({ after }) => (after?.sha256 ? [after.sha256] : []));
    expect((await api.blobs.has(tenant.tenantId, named)).size).toBe(new Set(named).size);
  });

  it.each<[string, () => Promise<Buffer>, string]>([
    ['a name that leads out', () => tar(file('a/../../b')), 'path.escape'],
    ['an absolute name', () => tar(file('/etc/passwd')), 'path.escape'],
    [
      'a device',
      () => tar([{ name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }]),
      'request.malformed',
    ],
    ['a pipe', () => tar([{ name: 'p', type: 'fifo' }]), 'request.malformed'],
    [
      'a second name of a file outside',
      () => tar([{ name: 'l', type: 'link', linkname: 'elsewhere' }]),
      'request.malformed',
    ],
    ['a control character', () => tar(file('a\nb')), 'path.invalid'],
    ['nothing', () => tar(), 'request.malformed'],
    ['no archive', () => Promise.resolve(Buffer.alloc(4096, 'no tar ')), 'request.malformed'],
    ['half an archive', async () => (await tar(file('a', 'x'.repeat(5000)))).subarray(0, 2048), 'request.malformed'],
    [
      'an extended header that is longer than may be',
      () => extended('x', attribute(64 * 1024 + 1)),
      'request.malformed',
    ],
    [
      'one for all entries that is longer than may be',
      () => extended('g', attribute(4 * 1024 + 1)),
      'request.malformed',
    ],
    ['more than one change may bring', () => beginningOf({ name: 'huge', size: 300 * 1024 * 1024 }), 'limit.exceeded'],
  ])('of %s changes nothing', async (_what, archive, code) => {
    expect((await put(await archive())).json['code']).toBe(code);
    expect(await imported()).toBeNull();
  });

  it.each(['x', 'g'] as const)('accepts extended headers up to the limit (%s)', async (flag) => {
    expect((await put(await extended(flag, attribute(flag === 'x' ? 64 * 1024 : 4 * 1024)))).status).toBe(200);
    expect((await imported())?.changes).toMatchObject([{ path: 'behind' }]);
  });

  it('ends with the end of its archive, however many bytes follow', async () => {
    expect(
      (await put(Buffer.concat([await tar(file('first')), Buffer.alloc(2 ** 20), await tar(file('behind'))]))).status,
    ).toBe(200);
    expect((await imported())?.changes.map(({ path }) => path)).toEqual(['first']);
  });

  it('is answered when it is refused at its beginning, and the rest of the body is discarded', async () => {
    const refused = await extended('x', attribute(3 * 2 ** 20));
    const archive = Buffer.concat([refused, Buffer.alloc(24 * 2 ** 20, 'x')]);
    // A client that sends the whole body before it reads the response would hang if the body were not read.
    const agent = new Agent({ keepAlive: true });
    const send = async (): Promise<number | undefined> => {
      const sending = request(`${api.url}/v1/workspaces/${has.workspace_id}/import`, {
        method: 'POST',
        agent,
        signal: AbortSignal.timeout(10_000),
        headers: {
          authorization: `Bearer ${tenant.operator}`,
          'content-type': 'application/x-tar',
          'content-length': archive.length,
        },
      });
      const [[answer]] = await Promise.all([
        once(sending, 'response') as Promise<[IncomingMessage]>,
        once(sending, 'finish'),
        sending.end(archive),
      ]);
      answer.resume();
      return answer.statusCode;
    };
    expect(await Promise.all(Array.from({ length: 6 }, send))).toEqual(Array.from({ length: 6 }, () => 400));
    agent.destroy();
  }, 20_000);

  it('accepts only archives, and none for a workspace of another tenant', async () => {
    const archive = await tar(file('mine'));
    expect((await put(archive, '', 'application/octet-stream')).json).toEqual(
      problem('request.unsupported_media_type', 415),
    );
    expect((await put(archive, '', undefined, newId('workspace'))).json).toEqual(problem('not_found', 404));
    expect(await api.blobs.has(tenant.tenantId, [sha256Hex(Buffer.from('mine'))])).toEqual(new Set());
  });
});

/** A workspace with this directory at its root. */
async function workspaceOf(
  entries: Parameters<typeof encodeNode>[0],
  contents: readonly string[] = [],
): Promise<string> {
  const node = encodeNode(entries);
  await api.blobs.putMany(tenant.tenantId, [node.bytes, ...contents.map((content) => Buffer.from(content))]);
  const workspace_id = newId('workspace');
  api.kernel.keep(tenant.tenantId, workspace_id, 'workspace', {
    workspace_id,
    name: 'w',
    head_snapshot_id: snapshotIdOf(node.sha256),
    created_at: 1,
    updated_at: 1,
  });
  return workspace_id;
}
const fetchExport = (id: string, query = '') =>
  fetch(`${api.url}/v1/workspaces/${id}/export${query}`, { headers: { authorization: `Bearer ${tenant.auditor}` } });
async function unpacked(bytes: Uint8Array): Promise<Record<string, unknown>> {
  const reading = extract();
  reading.end(Buffer.from(bytes));
  const found: Record<string, unknown> = {};
  for await (const entry of reading) {
    const { name, type, mode, linkname } = entry.header;
    found[name] = type === 'file' ? { mode, content: await text(entry) } : type === 'symlink' ? { linkname } : type;
    entry.resume();
  }
  return found;
}

describe('an export', () => {
  it('contains a complete state, and is the same archive each time', async () => {
    const answers = [await fetchExport(has.workspace_id), await fetchExport(has.workspace_id)];
    const [one, two] = [Buffer.from(await answers[0]!.arrayBuffer()), Buffer.from(await answers[1]!.arrayBuffer())];
    expect([answers[0]!.headers.get('content-type'), answers[0]!.headers.get('etag'), one.equals(two)]).toEqual([
      'application/x-tar',
      `"${has.snapshot_id}"`,
      true,
    ]);
    expect(await unpacked(one)).toEqual({
      link: { linkname: 'src/a.txt' },
      'src/': 'directory',
      'src/a.txt': { mode: 0o755, content: 'hello\n' },
    });
    expect(await unpacked(Buffer.from(await (await fetchExport(has.workspace_id, '?path=src')).arrayBuffer()))).toEqual(
      { 'a.txt': { mode: 0o755, content: 'hello\n' } },
    );
  });

  it('of a thousand files and of long ones between them is whole, in the order of the tree', async () => {
    const big = 'b'.repeat(5 * 1024 * 1024);
    const names = Array.from({ length: 1_200 }, (_, at) => `f${String(at).padStart(4, '0')}`);
    const contents = new Map(names.map((name, at) => [name, at % 500 === 7 ? `${name}${big}` : name]));
    const id = await workspaceOf(
      names.map((name) => {
        const content = contents.get(name)!;
        return {
          kind: 'file' as const,
          mode: '644' as const,
          name,
          sha256: sha256Hex(Buffer.from(content)),
          size: content.length,
        };
      }),
      [...contents.values()],
    );
    const found = await unpacked(Buffer.from(await (await fetchExport(id)).arrayBuffer()));
    expect(Object.keys(found)).toEqual(names);
    expect(Object.values(found).map((each) => (each as { content: string }).content.length)).toEqual(
      names.map((name) => contents.get(name)!.length),
    );
  });

  it("breaks off if it can't be completed, so that readers notice", async () => {
    const big = 'b'.repeat(5 * 1024 * 1024);
    const there = {
      kind: 'file' as const,
      mode: '644' as const,
      name: 'big',
      sha256: sha256Hex(Buffer.from(big)),
      size: big.length,
    };
    const id = await workspaceOf([there, { ...there, name: 'lost', sha256: '0'.repeat(64), size: 6 }], [big]);
    await expect((async () => (await fetchExport(id)).arrayBuffer())()).rejects.toThrow();
  });

  it('is of directories', async () => {
    expect(
      (await api.ask('GET', `/v1/workspaces/${has.workspace_id}/export?path=link`, { key: tenant.auditor })).json,
    ).toEqual(problem('file.kind', 422));
    expect(
      (await api.ask('GET', `/v1/workspaces/${has.workspace_id}/export?path=none`, { key: tenant.auditor })).json,
    ).toEqual(problem('file.not_found', 404));
  });
});
