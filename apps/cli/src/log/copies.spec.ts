// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeLogServer, LOG_KEYS, logOf, noteOf, recordOf, recordsOf, type FakeLog } from '../specs/fake-log.ts';
import { writ, type FakeApi, type CliResult } from '../specs/run-cli.ts';

const ALL = recordsOf(4_400);
const OTHER = recordOf(7, { attempt: 10_000 });

let dir: string;
let api: FakeApi;
const state: { log: FakeLog } = { log: logOf([]) };
beforeAll(async () => {
  api = await fakeLogServer(state);
});
afterAll(() => api.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-copies-'));
  writeFileSync(join(dir, 'keys.json'), LOG_KEYS);
  api.requests.length = 0;
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const log = (verb: string, ...args: string[]): Promise<CliResult> =>
  writ(['log', verb, ...args, '--keys', join(dir, 'keys.json'), '--json'], { env: api.env });
const verify = (...args: string[]): Promise<CliResult> => log('verify', '--state', join(dir, 'state.json'), ...args);
const bundlesRequested = (): number => api.requests.filter(({ url }) => url.includes('/tile/entries/')).length;

describe('`writ log verify --state`', () => {
  it('resumes at the record where the last reading ended', async () => {
    state.log = logOf(ALL.slice(0, 300));
    expect(JSON.parse((await verify()).out)).toMatchObject({ ok: true, tree_size: 300, read: 300 });
    api.requests.length = 0;
    state.log = logOf(ALL.slice(0, 700));
    expect(JSON.parse((await verify()).out)).toMatchObject({ ok: true, tree_size: 700, read: 400 });
    expect(bundlesRequested()).toBe(2);
    api.requests.length = 0;
    expect(JSON.parse((await verify()).out)).toMatchObject({ ok: true, read: 0 });
    expect(bundlesRequested()).toBe(0);
  });

  it('resumes an interrupted reading', async () => {
    state.log = { ...logOf(ALL), records: ALL.slice(0, 4_200) };
    expect(await verify()).toMatchObject({ exit: 1, err: expect.stringContaining('error verify.root: ') as string });
    state.log = logOf(ALL);
    expect(JSON.parse((await verify()).out)).toMatchObject({ ok: true, tree_size: 4_400, read: 4_400 - 4_096 });
  });

  it('does not treat a state without verified signatures as verified', async () => {
    state.log = logOf(ALL.slice(0, 300));
    expect(JSON.parse((await verify('--no-signatures')).out)).toMatchObject({ ok: true, read: 300, signatures: null });
    state.log = logOf(ALL.slice(0, 700));
    expect(await verify()).toMatchObject({
      exit: 1,
      err: expect.stringMatching(
        /^error state: .* the signatures of the 300 records that were read were not verified/,
      ) as string,
    });
    expect(JSON.parse((await verify('--no-signatures')).out)).toMatchObject({ ok: true, read: 400 });
    rmSync(join(dir, 'state.json'));
    expect(JSON.parse((await verify()).out)).toMatchObject({ ok: true, read: 700, signatures: { verified: 700 } });
    state.log = logOf(ALL.slice(0, 800));
    expect(JSON.parse((await verify()).out)).toMatchObject({ ok: true, read: 100, signatures: { verified: 100 } });
  });

  it('detects another history, and shows both checkpoints', async () => {
    const before = ALL.slice(0, 300);
    state.log = logOf(before);
    await verify();
    state.log = logOf(ALL.slice(0, 700).with(7, OTHER));
    const { exit, err } = await verify();
    expect([exit, err]).toEqual([1, expect.stringContaining('error verify.consistency: ')]);
    for (const line of [...noteOf(before).split('\n'), ...state.log.note.split('\n')]) expect(err).toContain(line);
  });

  it('is not misled by a forged state', async () => {
    state.log = logOf(ALL.slice(0, 300).with(7, OTHER));
    await verify();
    const forged = JSON.parse(readFileSync(join(dir, 'state.json'), 'utf8')) as object;
    writeFileSync(join(dir, 'state.json'), JSON.stringify({ ...forged, checkpoint: null }));
    state.log = logOf(ALL.slice(0, 700));
    expect(await verify()).toMatchObject({ exit: 1, err: expect.stringContaining('error verify.root: ') as string });
  });

  it('refuses a state of another log, and a file that is no state', async () => {
    writeFileSync(
      join(dir, 'state.json'),
      JSON.stringify({ v: 1, origin: 'writ.spec/other', frontier: 'AAAAAAAAAAA=', checkpoint: null }),
    );
    state.log = logOf(ALL.slice(0, 3));
    expect((await verify()).err).toMatch(/^error state: .* is of the log `writ.spec\/other`/);
    writeFileSync(join(dir, 'state.json'), '{"v":2}');
    expect((await verify()).err).toMatch(/^error state: .* is no state of a reading/);
  });
});

describe('a copy of a log on disk', () => {
  const copy = (): string => join(dir, 'copy');
  const offline = (...args: string[]): Promise<CliResult> =>
    writ(['log', 'verify', '--mirror', copy(), '--keys', join(dir, 'keys.json'), '--json', ...args]);

  it('verifies without a server, and an update downloads only new files', async () => {
    state.log = logOf(ALL.slice(0, 600));
    expect(JSON.parse((await log('mirror', copy())).out)).toMatchObject({ tree_size: 600, fetched: 10 });
    writeFileSync(join(dir, 'kept.txt'), state.log.note);
    expect(JSON.parse((await offline()).out)).toMatchObject({ ok: true, tree_size: 600, read: 600 });
    state.log = logOf(ALL.slice(0, 800));
    expect(JSON.parse((await log('mirror', copy())).out)).toMatchObject({ tree_size: 800, fetched: 7 });
    expect(JSON.parse((await offline('--since', join(dir, 'kept.txt'))).out)).toMatchObject({
      ok: true,
      tree_size: 800,
      since: 600,
    });
  });

  it('fails to verify with a record changed or removed', async () => {
    state.log = logOf(ALL.slice(0, 300));
    await log('mirror', copy());
    const bundle = join(copy(), 'tile/entries/000');
    const bytes = readFileSync(bundle);
    bytes[100]! ^= 1;
    writeFileSync(bundle, bytes);
    expect(await offline()).toMatchObject({
      exit: 1,
      err: expect.stringContaining('error verify.signature: record ') as string,
    });
    expect(await offline('--no-signatures')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('error verify.root: ') as string,
    });
    rmSync(bundle);
    expect(await offline()).toMatchObject({ exit: 1, err: expect.stringContaining('error mirror: ') as string });
  });

  it('verifies by its root alone without the signatures', async () => {
    state.log = logOf(ALL.slice(0, 300));
    await log('mirror', copy());
    rmSync(join(copy(), 'signatures'), { recursive: true });
    expect(await offline()).toMatchObject({ exit: 1, err: expect.stringContaining('error mirror: ') as string });
    expect(await offline('--no-signatures')).toMatchObject({ exit: 0 });
    await log('mirror', copy());
    expect(await offline()).toMatchObject({ exit: 0 });
  });

  it('has no checkpoint before it has the records that it covers', async () => {
    state.log = { ...logOf(ALL.slice(0, 300)), note: 'no note' };
    expect(await log('mirror', copy())).toMatchObject({ exit: 1 });
    expect(existsSync(join(copy(), 'checkpoint'))).toBe(false);
  });
});

test('progress of a log reading is shown only at a terminal', async () => {
  state.log = logOf(ALL.slice(0, 600));
  const shown: string[] = [];
  const { out, err } = await writ(['log', 'verify', '--keys', join(dir, 'keys.json')], {
    env: api.env,
    showProgress: (line) => shown.push(line),
  });
  expect(shown).toHaveLength(4);
  expect([shown[0], shown[2], shown[3]]).toEqual([
    expect.stringContaining(' 42 %  256 of 600 records'),
    expect.stringContaining('100 %  600 of 600 records'),
    '',
  ]);
  expect([out, err].join('')).not.toContain('%');
});
