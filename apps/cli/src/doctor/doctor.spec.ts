// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, problem, writ, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';
import { CHECKS } from './checks.ts';
import type { ReportFile } from './report.ts';

const NOW = 1_700_000_000_000;
const SYSTEM = { orchestrator: { version: '0.1.0', now: NOW } };
const KEYS = { body: { record_keys: [], log_keys: [] } };

let said: Record<string, FakeResponse>;
let api: FakeApi;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-doctor-'));
  api = await fakeApi(
    ({ method, url }) =>
      said[`${method} ${url.split('?')[0] ?? ''}`] ?? problem(503, 'bus.unreachable', 'the bus does not answer'),
  );
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
  const tenant = (name: string, age: number) => ({ tenant_id: `ten_${name}`, name, created_at: NOW - age });
  const items = [
    tenant('writ-doctor 0123456789abcdef', 600_000),
    tenant('writ-doctor 0123456789abcdee', 1_000),
    tenant('writ-doctor of acme', 600_000),
    tenant('acme', 600_000),
  ];
  said['GET /v1/tenants'] = { body: { items, next_cursor: null } };
  said[`POST /v1/tenants/${items[0]!.tenant_id}/close`] = { body: {} };
  expect((await doctor()).err).toContain('closed 1 tenants');
  expect(made().filter((url) => url.endsWith('/close'))).toEqual([`/v1/tenants/${items[0]!.tenant_id}/close`]);
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
