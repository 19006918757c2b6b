// SPDX-License-Identifier: Apache-2.0
import { CONNECT_PAGES } from './connect/routes.ts';
import { ROUTES } from './routes.ts';
import { SIGN_IN_PAGES } from './sign-in/routes.ts';

const rolesOf = (id: string): unknown => ROUTES.find((row) => row.id === id)?.allowed;

/** Queries that are too long for a URL. */
const ASKING = ['simulatePolicy', 'backtestPolicy', 'replayRun'];
/** Sessions of one's own, which anybody may end. */
const OWN = ['signOut', 'endOwnSignIn'];

test('no mutating route is for auditors, except that of the own key', () => {
  const changing = ROUTES.filter(
    ({ id, method, allowed }) => method !== 'GET' && Array.isArray(allowed) && ![...ASKING, ...OWN].includes(id),
  );
  expect(changing.length).toBeGreaterThan(10);
  expect(changing.filter(({ allowed }) => allowed.includes('auditor')).map(({ id }) => id)).toEqual([
    'rotateOwnApiKey',
  ]);
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
    'listBriefApprovals',
    'groupApprovals',
    'readApproval',
  ]) {
    expect([id, rolesOf(id)]).not.toEqual([id, expect.arrayContaining(['agent'])]);
  }
});

test("a worker's key has routes of permits and of itself and no other, and of the others only an agent's key has those", () => {
  const permits = ROUTES.filter(({ path }) => path.startsWith('/v1/permits/'));
  expect(permits.map(({ id, allowed }) => [id, [...allowed].sort()])).toEqual([
    ['takePermit', ['worker']],
    ['takeOwnPermit', ['agent']],
    ['redeemPermit', ['agent', 'worker']],
    ['renewLease', ['agent', 'worker']],
    ['reportFunction', ['agent', 'worker']],
  ]);
  const others = ROUTES.filter(({ allowed }) => allowed.includes('worker')).filter((one) => !permits.includes(one));
  expect(others.map(({ id }) => id)).toEqual(['rotateOwnApiKey', 'whoami']);
});

test('what everybody may send without a key, besides questions, is listed here', () => {
  const open = ROUTES.filter(({ method, allowed }) => allowed === 'public' && method !== 'GET');
  expect(open.map(({ id }) => id)).toEqual(['createDeviceAuthorization', 'issueAccessToken']);
  // Pages have no place in the API, and the API none among pages.
  const pages = [...Object.values(CONNECT_PAGES), ...Object.values(SIGN_IN_PAGES)];
  expect(pages.filter(({ path }) => !/^\/(connect|sign-in)(\/|$)/.test(path))).toEqual([]);
  expect(ROUTES.filter(({ path }) => /^\/(connect|sign-in)(\/|$)/.test(path))).toEqual([]);
});

test('each path and method belongs to one route', () => {
  const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(routes).size).toBe(routes.length);
});
