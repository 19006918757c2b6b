// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { HELD, IDS, OPERATION } from '../specs/samples.ts';

const RESOLVED = {
  ...OPERATION,
  state: 'ambiguous',
  resolution: {
    outcome: 'committed',
    note: 'the order\u202e is there',
    resolved_at: 1_767_225_600_000,
    resolved_by: IDS.key,
    record_id: IDS.record,
  },
};

let api: FakeApi;
let reads: number;
beforeAll(async () => {
  api = await fakeApi(({ url }) => {
    if (url.startsWith('/v1/operations?')) return { body: { items: [OPERATION, HELD], next_cursor: 'c2' } };
    if (url.endsWith('/resolve')) return { body: RESOLVED };
    reads += 1;
    return { body: url.endsWith('/cancel') || reads >= 3 ? OPERATION : HELD };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  reads = 0;
  api.heard.length = 0;
});

test('the list filters, and says how to go on', async () => {
  const { out } = await writ(['operations', 'list', '--state', 'held', '--limit', '2'], { env: api.env });
  expect(api.heard[0]!.url).toBe('/v1/operations?state=held&limit=2');
  expect(out).toContain('more: writ operations list --cursor c2');
});

test('one operation is shown with its reasons', async () => {
  expect((await writ(['operations', 'show', IDS.operation], { env: api.env })).out).toContain('delete.tree');
});

test('watching follows an operation to its end, with one value on stdout', async () => {
  const { out, err } = await writ(['operations', 'watch', IDS.operation, '--json'], { env: api.env });
  expect(JSON.parse(out)).toEqual(OPERATION);
  expect(err.match(/held/g)).toHaveLength(1);
  expect(api.heard.map(({ url }) => url.split('?')[1])).toEqual([undefined, 'wait=30000', 'wait=30000']);
});

test('an id goes into the path as one segment', async () => {
  await writ(['operations', 'cancel', '../api-keys/x'], { env: api.env });
  expect(api.heard[0]!.url).toBe('/v1/operations/..%2Fapi-keys%2Fx/cancel');
});

test('an ambiguous operation is resolved with an outcome and a note, and both are shown', async () => {
  const { out, exit } = await writ(
    ['operations', 'resolve', IDS.operation, '--outcome', 'committed', '--note', 'the order is there'],
    { env: api.env },
  );
  expect(exit).toBe(0);
  expect(api.heard[0]).toMatchObject({
    method: 'POST',
    url: `/v1/operations/${IDS.operation}/resolve`,
    body: '{"outcome":"committed","note":"the order is there"}',
  });
  expect(out).toContain('committed: the order\\u{202e} is there');
  expect((await writ(['operations', 'resolve', IDS.operation, '--outcome', 'committed'], { env: api.env })).exit).toBe(
    2,
  );
});

test('what nobody has resolved is a list of its own', async () => {
  await writ(['operations', 'list', '--unresolved'], { env: api.env });
  expect(api.heard[0]!.url).toBe('/v1/operations?unresolved=true&limit=50');
});

describe('the whole output of a command', () => {
  const BYTES = Buffer.concat([Buffer.from('one\n\u001b[31mtwo\n'), Buffer.from([0xff]), Buffer.alloc(300_000, 'x')]);
  let server: FakeApi;
  let [hash, cut] = ['', 'false'];
  beforeAll(async () => {
    server = await fakeApi(() => ({ body: BYTES, headers: { etag: `"${hash}"`, 'writ-output-cut': cut } }));
  });
  afterAll(() => server.close());
  beforeEach(() => {
    [hash, cut] = [createHash('sha256').update(BYTES).digest('hex'), 'false'];
  });
  const folder = (): string => mkdtempSync(join(tmpdir(), 'writ-cli-output-'));

  test('goes to a new file byte for byte, and to no other', async () => {
    const dir = folder();
    const out = join(dir, 'out.txt');
    const told = JSON.parse(
      (
        await writ(['operations', 'output', IDS.operation, '--stream', 'stderr', '--out', out, '--json'], {
          env: server.env,
        })
      ).out,
    ) as unknown;
    expect(told).toEqual({ operation_id: IDS.operation, stream: 'stderr', out, bytes: BYTES.length, cut: false });
    expect(server.heard.at(-1)!.url).toBe(`/v1/operations/${IDS.operation}/output?stream=stderr`);
    expect(readFileSync(out).equals(BYTES)).toBe(true);
    expect(await writ(['operations', 'output', IDS.operation, '--out', out], { env: server.env })).toMatchObject({
      exit: 2,
      err: expect.stringContaining('is there already'),
    });
    rmSync(dir, { recursive: true });
  });

  test('is shown without what would steer a terminal, and what lacks its end is said to', async () => {
    cut = 'true';
    const { out, err } = await writ(['operations', 'output', IDS.operation], { env: server.env });
    expect(out.startsWith('one\n\\u{1b}[31mtwo\n')).toBe(true);
    expect(err).toContain('cut: the command said more');
  });

  test('that is not what the answer names is not kept', async () => {
    hash = '0'.repeat(64);
    const dir = folder();
    expect(
      await writ(['operations', 'output', IDS.operation, '--out', join(dir, 'out.txt')], { env: server.env }),
    ).toMatchObject({ exit: 1, err: expect.stringContaining('nothing was kept of it') });
    expect(readdirSync(dir)).toEqual([]);
    rmSync(dir, { recursive: true });
  });

  test('is named where an operation is shown, with its end', async () => {
    const whole_output = {
      href: '/x',
      stdout: { bytes: 5_000_000, cut: false },
      stderr: { bytes: 7, cut: false },
      expires_at: 1_767_225_600_000,
    };
    const api = await fakeApi(() => ({ body: { ...OPERATION, result: { ...OPERATION.result, whole_output } } }));
    const { out } = await writ(['operations', 'show', IDS.operation], { env: api.env });
    expect(out).toContain(
      `5000000 bytes, and 7 on stderr, until 2026-01-01T00:00:00Z; writ operations output ${IDS.operation}`,
    );
    await api.close();
  });

  test('that there was no room for is said not to be kept', async () => {
    const whole_output = {
      href: '/x',
      stdout: { bytes: 5_000_000, cut: false },
      stderr: { bytes: 7, cut: false },
      expires_at: null,
    };
    const api = await fakeApi(() => ({ body: { ...OPERATION, result: { ...OPERATION.result, whole_output } } }));
    const { out } = await writ(['operations', 'show', IDS.operation], { env: api.env });
    expect(out).toContain("5000000 bytes, and 7 on stderr; not kept: the tenant's outputs were at their bound");
    await api.close();
  });
});
