// SPDX-License-Identifier: Apache-2.0
import { ROUTES } from './routes.ts';

const rolesOf = (id: string): unknown => ROUTES.find((row) => row.id === id)?.allowed;

/** Queries that are too long for a URL. */
const ASKING = ['simulatePolicy', 'backtestPolicy', 'replayRun'];

test('no mutating route is for auditors', () => {
  const changing = ROUTES.filter(
    ({ id, method, allowed }) => method !== 'GET' && Array.isArray(allowed) && !ASKING.includes(id),
  );
  expect(changing.length).toBeGreaterThan(10);
  expect(changing.filter(({ allowed }) => allowed.includes('auditor'))).toEqual([]);
});

test('routes that give rights to others are for administrators only', () => {
  for (const id of ['createApiKey', 'revokeApiKey', 'listApiKeys', 'createAgent', 'issueToken'])
    expect([id, rolesOf(id)]).toEqual([id, ['admin']]);
});

test("an agent's key has no routes for files or approvals", () => {
  for (const id of [
    'readTree',
    'downloadFile',
    'readDiff',
    'readTextDiff',
    'readHistory',
    'exportWorkspace',
    'importWorkspace',
    'restoreWorkspace',
    'uploadFile',
    'uploadFiles',
    'deleteFile',
    'approve',
    'deny',
    'resolveOperation',
    'listApprovals',
    'readApproval',
  ]) {
    expect([id, rolesOf(id)]).not.toEqual([id, expect.arrayContaining(['agent'])]);
  }
});

test("a worker's key has routes of permits and no other, and of the others only an agent's key has those", () => {
  const permits = ROUTES.filter(({ path }) => path.startsWith('/v1/permits/'));
  expect(permits.map(({ id, allowed }) => [id, [...allowed].sort()])).toEqual([
    ['takePermit', ['worker']],
    ['takeOwnPermit', ['agent']],
    ['redeemPermit', ['agent', 'worker']],
    ['renewLease', ['agent', 'worker']],
    ['reportFunction', ['agent', 'worker']],
  ]);
  expect(ROUTES.filter(({ allowed }) => allowed.includes('worker')).filter((one) => !permits.includes(one))).toEqual(
    [],
  );
});

test('each path and method belongs to one route', () => {
  const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(routes).size).toBe(routes.length);
});
