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
  api.requests.length = 0;
});

test('`writ operations list` sends its filters, and shows the command for the next page', async () => {
  const { out } = await writ(['operations', 'list', '--state', 'held', '--limit', '2'], { env: api.env });
  expect(api.requests[0]!.url).toBe('/v1/operations?state=held&limit=2');
  expect(out).toContain('more: writ operation list --cursor c2');
});

test('one operation is shown with its reasons', async () => {
  expect((await writ(['operations', 'show', IDS.operation], { env: api.env })).out).toContain('delete.tree');
});

test('`writ operations watch` follows an operation to its end, with one value on stdout', async () => {
  const { out, err } = await writ(['operations', 'watch', IDS.operation, '--json'], { env: api.env });
  expect(JSON.parse(out)).toEqual(OPERATION);
  expect(err.match(/held/g)).toHaveLength(1);
  expect(api.requests.map(({ url }) => url.split('?')[1])).toEqual([undefined, 'wait=30000', 'wait=30000']);
});

test('an id goes into the path as one segment', async () => {
  await writ(['operations', 'cancel', '../api-keys/x'], { env: api.env });
  expect(api.requests[0]!.url).toBe('/v1/operations/..%2Fapi-keys%2Fx/cancel');
});

test('an ambiguous operation is resolved with an outcome and a note, and both are shown', async () => {
  const { out, exit } = await writ(
    ['operations', 'resolve', IDS.operation, '--outcome', 'committed', '--note', 'the order is there'],
    { env: api.env },
  );
  expect(exit).toBe(0);
  expect(api.requests[0]).toMatchObject({
    method: 'POST',
    url: `/v1/operations/${IDS.operation}/resolve`,
    body: '{"outcome":"committed","note":"the order is there"}',
  });
  expect(out).toContain('committed: the order\\u{202e} is there');
  expect((await writ(['operations', 'resolve', IDS.operation, '--outcome', 'committed'], { env: api.env })).exit).toBe(
    2,
  );
});

test('--unresolved lists only ambiguous operations without a resolution', async () => {
  await writ(['operations', 'list', '--unresolved'], { env: api.env });
  expect(api.requests[0]!.url).toBe('/v1/operations?unresolved=true&limit=50');
});

describe('the full output of a command', () => {
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

  test('is written to a new file byte for byte, and never over an existing one', async () => {
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
    expect(server.requests.at(-1)!.url).toBe(`/v1/operations/${IDS.operation}/output?stream=stderr`);
    expect(readFileSync(out).equals(BYTES)).toBe(true);
    expect(await writ(['operations', 'output', IDS.operation, '--out', out], { env: server.env })).toMatchObject({
      exit: 2,
      err: expect.stringContaining('is there already'),
    });
    rmSync(dir, { recursive: true });
  });

  test('is shown with control characters escaped, and a cut is reported', async () => {
    cut = 'true';
    const { out, err } = await writ(['operations', 'output', IDS.operation], { env: server.env });
    expect(out.startsWith('one\n\\u{1b}[31mtwo\n')).toBe(true);
    expect(err).toContain('cut: the command printed more');
  });

  test("is discarded if its hash doesn't match", async () => {
    hash = '0'.repeat(64);
    const dir = folder();
    expect(
      await writ(['operations', 'output', IDS.operation, '--out', join(dir, 'out.txt')], { env: server.env }),
    ).toMatchObject({ exit: 1, err: expect.stringContaining('nothing was kept of it') });
    expect(readdirSync(dir)).toEqual([]);
    rmSync(dir, { recursive: true });
  });

  test('is listed with its expiry where an operation is shown', async () => {
    const whole_output = {
      href: '/x',
      stdout: { bytes: 5_000_000, cut: false },
      stderr: { bytes: 7, cut: false },
      expires_at: 1_767_225_600_000,
    };
    const api = await fakeApi(() => ({ body: { ...OPERATION, result: { ...OPERATION.result, whole_output } } }));
    const { out } = await writ(['operations', 'show', IDS.operation], { env: api.env });
    expect(out).toContain(
      `5000000 bytes, and 7 on stderr, until 2026-01-01T00:00:00Z; writ operation output ${IDS.operation}`,
    );
    await api.close();
  });

  test('is reported as not kept if the tenant was at its limit', async () => {
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
