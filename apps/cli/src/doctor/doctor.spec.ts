// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, problem, writ, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';
import { CHECKS } from './checks.ts';
import type { ReportFile } from './report.ts';

const NOW = 1_700_000_000_000;
const SYSTEM = { orchestrator: { version: '0.1.0', now: NOW } };
const KEYS = { body: { record_keys: [], log_keys: [] } };

let said: Record<string, FakeResponse | (() => FakeResponse)>;
let api: FakeApi;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-doctor-'));
  api = await fakeApi(({ method, url }) => {
    const answer = said[`${method} ${url.split('?')[0] ?? ''}`];
    const unknown = problem(503, 'bus.unreachable', 'the bus does not answer');
    return (typeof answer === 'function' ? answer() : answer) ?? unknown;
  });
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  api.requests.length = 0;
  said = { 'GET /v1/system': { body: SYSTEM }, 'GET /.well-known/writ-keys.json': KEYS };
});
const doctor = async (...args: string[]) =>
  await writ(['doctor', ...args], { env: { ...api.env, XDG_CONFIG_HOME: folder }, cwd: folder });
const made = (): string[] => api.requests.filter(({ method }) => method !== 'GET').map(({ url }) => url);

it('where no tenant can be made, every check has failed as not made, and the report says so', async () => {
  said['GET /v1/tenants'] = { body: { items: [], next_cursor: null } };
  const { exit, out, err } = await doctor('--report', 'report.json');
  expect([exit, out]).toEqual([1, expect.stringContaining('not healthy')]);
  expect(err).toBe('');
  const { report, receipt } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as ReportFile;
  expect(report).toMatchObject({ healthy: false, tenant_id: null, counts: { pass: 0, fail: CHECKS.length } });
  expect(report.checks.every((check) => !check.made && check.evidence.includes('503 bus.unreachable'))).toBe(true);
  expect(receipt).toBeNull();
});

it('a key that may not examine is told so before anything is made', async () => {
  said['GET /v1/system'] = problem(403, 'auth.role', 'the API key has no role that allows this');
  const { exit, err } = await doctor();
  expect([exit, err]).toEqual([6, expect.stringContaining('error auth.role')]);
  expect(made()).toEqual([]);
});

it('a tenant that a run has left open is closed, and one of another name never is', async () => {
  const items = [
    { tenant_id: 'ten_left', name: 'writ-doctor 0123456789abcdef', created_at: NOW - 600_000 },
    { tenant_id: 'ten_new', name: 'writ-doctor 0123456789abcdee', created_at: NOW - 1_000 },
    { tenant_id: 'ten_other', name: 'writ-doctor of acme', created_at: NOW - 600_000 },
    { tenant_id: 'ten_acme', name: 'acme', created_at: NOW - 600_000 },
  ];
  said['GET /v1/tenants'] = { body: { items, next_cursor: null } };
  said['POST /v1/tenants/ten_left/close'] = { body: {} };
  expect((await doctor()).err).toBe('note: closed 1 tenant that an earlier run had left open\n');
  expect(made().filter((url) => url.endsWith('/close'))).toEqual(['/v1/tenants/ten_left/close']);
});

it('a tenant whose making got no answer is found by its name and closed', async () => {
  said['GET /v1/tenants'] = () => {
    const { name } = JSON.parse(api.requests.find(({ method }) => method === 'POST')?.body ?? '{}') as {
      name?: string;
    };
    return {
      body: { items: name === undefined ? [] : [{ tenant_id: 'ten_lost', name, created_at: NOW }], next_cursor: null },
    };
  };
  said['POST /v1/tenants/ten_lost/close'] = { body: {} };
  expect(await doctor()).toMatchObject({ exit: 1, err: '' });
  expect(made()).toEqual(['/v1/tenants', '/v1/tenants/ten_lost/close']);
});

it('names what may be open where that can be neither closed nor looked for', async () => {
  expect((await doctor()).err).toMatch(
    /^note: tenants that earlier runs have left open could not be looked for\nnote: writ-doctor [0-9a-f]{16} may be open: /,
  );
  const items = [{ tenant_id: 'ten_left', name: 'writ-doctor 0123456789abcdef', created_at: NOW - 600_000 }];
  said['GET /v1/tenants'] = { body: { items, next_cursor: null } };
  expect((await doctor()).err).toMatch(/^note: ten_left may be open: /);
});

it('a report that can not be written does not cost what was found', async () => {
  said['GET /v1/tenants'] = { body: { items: [], next_cursor: null } };
  writeFileSync(join(folder, 'file'), '');
  const { exit, out, err } = await doctor('--report', 'file/report.json');
  expect([exit, out]).toEqual([1, expect.stringContaining('not healthy')]);
  expect(err).toMatch(/^error report: .* could not be written \(.*\): name another file with `--report`$/m);
});

it('a signature needs a file to be in, and a key that is one', async () => {
  expect(await doctor('--sign-key', 'x.pem')).toMatchObject({ exit: 2, err: expect.stringContaining('--report FILE') });
  const { exit, err } = await doctor('--report', 'r.json', '--sign-key', join(folder, 'report.json'));
  expect([exit, err]).toEqual([2, expect.stringContaining('openssl genpkey')]);
  expect(made()).toEqual([]);
});

it('a report is verified against somebody who is trusted, or not at all', async () => {
  expect(await doctor('verify', join(folder, 'report.json'))).toMatchObject({
    exit: 2,
    err: expect.stringContaining('name whom you trust'),
  });
});

it('every check has an id of its own, and a promise in a sentence', () => {
  expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
  for (const { invariant } of CHECKS) expect(invariant).toMatch(/^[A-Z].*[^.]$/);
});
