// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../config.env.ts';
import { fakeApi, problem, writ, type CliResult, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';
import { askForCodes, awaitSession } from './device-flow.ts';
import { SessionKey } from './session-key.ts';

const CODES = {
  device_code: 'secret-device-code',
  user_code: 'BCDF-GHJK',
  verification_uri: 'https://writ.example.org/sign-in/device',
  verification_uri_complete: 'https://writ.example.org/sign-in/device?user_code=BCDF-GHJK',
  expires_in: 600,
  interval: 0.01,
};
const oauth = (error: string): FakeResponse => ({ status: 400, body: { error, error_description: `it is ${error}` } });
const token = (text: string): FakeResponse => ({
  body: { access_token: text, refresh_token: text, token_type: 'Bearer', expires_in: 3_600 },
});
const SIGN_IN = { sign_in: { person_id: 'person_x', provider: 'corp', roles: ['operator'] } };

let api: FakeApi;
let dir: string;
/** what the token endpoint answers, in order, and what others do */
let tokens: FakeResponse[];
let said: Record<string, FakeResponse>;
/** what happens before the token endpoint answers */
let meanwhile: () => void;
beforeAll(async () => {
  api = await fakeApi(({ url }) => {
    if (url === '/v1/oauth/token') meanwhile();
    return (url === '/v1/oauth/token' ? tokens.shift() : said[url]) ?? problem(404, 'x', 'x');
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
  meanwhile = () => undefined;
  dir = mkdtempSync(join(tmpdir(), 'writ-login-'));
  tokens = [oauth('authorization_pending'), token('session-1')];
  said = {
    '/v1/device-authorizations': { body: CODES },
    '/v1/sign-in': { body: SIGN_IN },
    '/v1/sign-out': { body: { ended: null } },
    '/v1/whoami': { body: {} },
  };
});
afterEach(() => rmSync(dir, { recursive: true }));

const env = (): Record<string, string> => ({ XDG_CONFIG_HOME: dir });
const run = async (args: readonly string[], more: Parameters<typeof writ>[1] = {}): Promise<CliResult> =>
  await writ(args, { env: env(), cwd: dir, ...more });
const login = async (...args: string[]): Promise<CliResult> =>
  await run(['login', 'work', '--url', api.url, '--tenant', IDS.tenant, ...args]);
const file = (): string => join(dir, 'writ', 'config.json');
interface Stored {
  current: string;
  contexts: Record<string, { credential: Record<string, unknown>; workspace_id?: string }>;
}
const stored = (): Stored => JSON.parse(readFileSync(file(), 'utf8')) as Stored;
const credential = (): Record<string, unknown> => stored().contexts['work']!.credential;
/** Makes the text of the session as old as one that is renewed. */
const age = (): void => {
  const before = stored();
  before.contexts['work']!.credential['renewed_at'] = Date.now() - 16 * 60_000;
  writeFileSync(file(), JSON.stringify(before));
};

test('login shows the page and the code, waits for the approval, and keeps the session in a file of the owner', async () => {
  const opened: string[] = [];
  const openPage = async (url: string): Promise<boolean> => opened.push(url) > 0;
  const { exit, out, err } = await run(['login', 'work', '--url', api.url, '--tenant', IDS.tenant, '-o', 'json'], {
    openPage,
  });
  expect(exit).toBe(0);
  expect(err).toContain(CODES.verification_uri_complete);
  expect(err).toContain('BCDF-GHJK');
  // Without a terminal nobody is there for a browser.
  expect(opened).toEqual([]);
  expect(JSON.parse(out)).toMatchObject({ name: 'work', person_id: 'person_x', provider: 'corp', roles: ['operator'] });
  expect(`${out}${err}`).not.toMatch(/session-1|secret-device-code/);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(stored()).toMatchObject({ current: 'work', contexts: { work: { url: api.url } } });
  expect(credential()).toMatchObject({ kind: 'session', secret: 'session-1', tenant_id: IDS.tenant });
  expect(api.requests.map(({ method, url, key }) => [method, url, key])).toEqual([
    ['POST', '/v1/device-authorizations', undefined],
    ['POST', '/v1/oauth/token', undefined],
    ['POST', '/v1/oauth/token', undefined],
    ['GET', '/v1/sign-in', 'Bearer session-1'],
  ]);
  expect(Object.fromEntries(new URLSearchParams(api.requests[0]!.body))).toEqual({
    client_id: 'writ-cli',
    tenant: IDS.tenant,
  });
  await run(['whoami']);
  expect(api.requests.at(-1)).toMatchObject({ url: '/v1/whoami', key: 'Bearer session-1' });
  for (const args of [
    ['context', 'list'],
    ['context', 'get'],
    ['status', '--json'],
  ])
    expect((await run(args)).out).not.toContain('session-1');
  expect((await run(['context', 'get'])).out).toMatch(/^session +until 20/m);
});

test('another login keeps the defaults of the context, and ends the session before', async () => {
  await login();
  await run(['context', 'update', 'work', '--workspace', IDS.workspace]);
  tokens = [token('session-2')];
  expect((await run(['login'])).exit).toBe(0);
  expect(stored().contexts['work']).toMatchObject({
    workspace_id: IDS.workspace,
    credential: { secret: 'session-2', tenant_id: IDS.tenant },
  });
  expect(api.requests.find(({ url }) => url === '/v1/sign-out')).toMatchObject({ key: 'Bearer session-1' });
});

test('logout ends the session at the server, and only then forgets it', async () => {
  await login();
  said['/v1/sign-out'] = problem(503, 'database.unavailable', 'm');
  expect((await run(['logout'])).exit).toBe(8);
  expect(credential()['secret']).toBe('session-1');
  said['/v1/sign-out'] = { body: { ended: null } };
  expect(await run(['logout', 'work'])).toMatchObject({ exit: 0, out: 'signed out of work\n' });
  expect(api.requests.at(-1)).toMatchObject({ method: 'POST', url: '/v1/sign-out', key: 'Bearer session-1' });
  expect(credential()).toMatchObject({ kind: 'session', secret: null });
  expect(readFileSync(file(), 'utf8')).not.toContain('session-1');
  expect(await run(['operation', 'list'])).toMatchObject({
    exit: 6,
    err: expect.stringContaining('signed out of the context `work`: `writ login work`') as string,
  });
  expect((await run(['context', 'get'])).out).toMatch(/^session +signed out/m);
  said['/readyz'] = { body: {} };
  expect(await run(['status'])).toMatchObject({ exit: 6, out: expect.stringMatching(/^server +ready$/m) as string });
  expect((await run(['logout'])).exit).toBe(0);
  tokens = [token('session-3')];
  expect((await run(['login'])).exit).toBe(0);
  expect(credential()['secret']).toBe('session-3');
});

test('logout of a session that has ended already forgets it', async () => {
  await login();
  said['/v1/sign-out'] = problem(401, 'auth.invalid', 'm');
  expect((await run(['logout'])).exit).toBe(0);
  expect(credential()['secret']).toBeNull();
});

test('a session that the server ended says what to do', async () => {
  await login();
  said['/v1/whoami'] = problem(401, 'auth.invalid', 'm');
  expect(await run(['whoami'])).toMatchObject({
    exit: 6,
    err: expect.stringContaining('the session of the context `work` has ended: `writ login work`') as string,
  });
});

describe('a session is renewed', () => {
  beforeEach(async () => {
    await login();
    api.requests.length = 0;
    age();
  });

  it('once its text is a quarter of an hour old, and the new one is stored before it is used', async () => {
    tokens = [token('session-2')];
    await run(['whoami']);
    expect(api.requests.map(({ url, key }) => [url, key])).toEqual([
      ['/v1/oauth/token', undefined],
      ['/v1/whoami', 'Bearer session-2'],
    ]);
    expect(Object.fromEntries(new URLSearchParams(api.requests[0]!.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'session-1',
    });
    expect(credential()).toMatchObject({ secret: 'session-2' });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    await run(['whoami']);
    expect(api.requests).toHaveLength(3);
  });

  it.each([
    ['gives no answer', problem(503, 'overloaded', 'm')],
    ['is of an older version', problem(404, 'not_found', 'm')],
  ])('later where the server %s: the text before is good', async (_what, answer) => {
    tokens = [answer];
    expect((await run(['operation', 'list'])).exit).not.toBe(6);
    expect(api.requests[1]).toMatchObject({ key: 'Bearer session-1' });
    expect(credential()['secret']).toBe('session-1');
  });

  it('never after it has ended', async () => {
    tokens = [oauth('invalid_grant')];
    expect(await run(['whoami'])).toMatchObject({
      exit: 6,
      err: expect.stringContaining('`writ login work`') as string,
    });
    expect(api.requests.map(({ url }) => url)).toEqual(['/v1/oauth/token']);
  });

  it('and a program that runs for long presents what another one has stored meanwhile', async () => {
    const key = new SessionKey(readEnvironment(env()), 'work');
    tokens = [token('session-2')];
    expect(await Promise.all([key.current(), key.current()])).toEqual(['session-2', 'session-2']);
    expect(api.requests).toHaveLength(1);
    age();
    tokens = [token('session-3')];
    await run(['whoami']);
    expect(await key.current()).toBe('session-3');
  });
});

test("a session of another sign-in isn't replaced by a renewal of the one before", async () => {
  await login();
  age();
  tokens = [token('session-2')];
  meanwhile = () => {
    const now = stored();
    now.contexts['work']!.credential['secret'] = 'of-another-person';
    writeFileSync(file(), JSON.stringify(now));
  };
  await run(['whoami']);
  expect(api.requests.at(-1)).toMatchObject({ key: 'Bearer of-another-person' });
  expect(credential()['secret']).toBe('of-another-person');
});

test.each<[string, string[], RegExp]>([
  ['without a context', ['login'], /name a context: `writ login NAME --url URL --tenant TENANT`/],
  ['without a tenant', ['login', 'new', '--url', 'http://127.0.0.1:1'], /give `--url` and `--tenant`/],
  ['with a key', ['login', 'work', '--api-key', 'k'], /needs no key/],
  ['into a context with a key', ['login', 'keyed'], /has an API key and keeps it/],
  ['at another address', ['login', 'work', '--url', 'http://127.0.0.1:1'], /keeps its address/],
  ['out of a context with a key', ['logout', 'keyed'], /has an API key/],
  ['out of nothing', ['logout', '--context', 'local'], /nobody is signed in here/],
])('signing in or out %s is a usage error, and sends nothing', async (_, args, why) => {
  if (args.length > 1) {
    await login();
    await run(['context', 'create', 'keyed', '--url', api.url], { stdin: 'k' });
  }
  api.requests.length = 0;
  const { exit, err } = await run(args);
  expect({ exit, err }).toEqual({ exit: 2, err: expect.stringMatching(why) as string });
  expect(api.requests).toEqual([]);
});

test.each<[string, FakeResponse, number, RegExp]>([
  ['denied', oauth('access_denied'), 4, /^error access_denied: it is access_denied/m],
  ['too late', oauth('expired_token'), 1, /^error expired_token/m],
  ['answered with something else', { body: { token: 1 } }, 1, /does not understand/],
])('a sign-in that is %s keeps nothing', async (_, answer, exit, err) => {
  tokens = [answer];
  expect(await login()).toMatchObject({ exit, err: expect.stringMatching(err) as string });
  expect((await run(['context', 'list'])).out).toMatch(/^no contexts/);
});

test('a page that is no http address is not shown', async () => {
  said['/v1/device-authorizations'] = { body: { ...CODES, verification_uri_complete: 'file:///etc/passwd' } };
  expect(await login()).toMatchObject({ exit: 1, err: expect.stringContaining('no http address') as string });
});

test('an open file of contexts is refused before anything is sent', async () => {
  await login();
  chmodSync(file(), 0o644);
  api.requests.length = 0;
  expect((await run(['login'])).exit).toBe(2);
  expect(api.requests).toEqual([]);
});

describe('polling', () => {
  const poll = async (answers: FakeResponse[], codes: Partial<typeof CODES> = {}): Promise<[number[], unknown]> => {
    tokens = answers;
    const slept: number[] = [];
    let now = 0;
    const sleep = async (ms: number): Promise<void> => {
      slept.push(ms / 1_000);
      now += ms;
    };
    const asked = { ...(await askForCodes(api.url, IDS.tenant)), interval: 5, ...codes };
    const ended = await awaitSession(api.url, asked, { now: () => now, sleep }).then(
      ({ secret }) => secret,
      (error: unknown) => (error as { code: string }).code,
    );
    return [slept, ended];
  };
  const pending = oauth('authorization_pending');

  it('waits five seconds longer for the rest of the sign-in after `slow_down`', async () => {
    const answers = [pending, oauth('slow_down'), pending, oauth('slow_down'), pending, token('t')];
    expect(await poll(answers)).toEqual([[5, 5, 10, 10, 15, 15], 't']);
  });

  it('asks less often while the server gives no answer, up to a minute, and goes on', async () => {
    const lost = [1, 2, 3, 4, 5].map(() => problem(503, 'bus.unreachable', 'm'));
    expect(await poll([...lost, pending, token('t')])).toEqual([[5, 10, 20, 40, 60, 60, 5], 't']);
  });

  it('ends when the code does', async () => {
    const answers = Array.from({ length: 9 }, () => pending);
    expect(await poll(answers, { expires_in: 22 })).toEqual([[5, 5, 5, 5, 5], 'expired_token']);
  });
});
