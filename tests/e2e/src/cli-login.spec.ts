// SPDX-License-Identifier: Apache-2.0
// `writ login` and `writ logout` as built, through a whole Writ with a real identity provider (`oidc-provider`).
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { Api, makeWorld, startStack, type Stack, type World } from '@writ/stack';
import { Browser, freePort, repositoryRoot } from '@writ/testing';
import { vi } from 'vitest';
import { AuthorizationServer, PERSON_HEADER, SIGN_IN_CLIENT_ID } from './authorization-server.ts';
import { challengeOf, OauthClient } from './oauth-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

let url: string;
let stack: Stack;
let world: World;
let server: AuthorizationServer;
let home: string;

beforeAll(async () => {
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  home = mkdtempSync(join(tmpdir(), 'writ-login-'));
  server = await AuthorizationServer.open(url);
  const env = {
    WRIT_HTTP_PORT: port,
    WRIT_PUBLIC_URL: url,
    WRIT_AUTHORIZATION_SERVERS: server.issuer,
    WRIT_ISSUER_ALLOW: server.place,
  };
  stack = await startStack({ env: { orchestrator: env } });
  world = await makeWorld(url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  const client = await OauthClient.discover(challengeOf((await new Api(url).get('/v1/tools')).headers));
  const corp = await world.admin.must('/v1/identity-providers', {
    name: 'corp',
    issuer: server.issuer,
    agent_id: world.agentId,
    person_claim: 'email',
    sign_in: { client_id: SIGN_IN_CLIENT_ID },
    access_token: await client.signIn('root', 'writ:admin'),
  });
  server.redirectUris.add(corp.session_redirect_uri as string);
});
afterAll(async () => {
  await stack?.stop();
  await server?.close();
  rmSync(home, { recursive: true, force: true });
});

interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the built program with a home of its own; `onLine` gets what it prints for people, at once. */
async function run(args: readonly string[], onLine: (line: string) => void = () => undefined): Promise<Ran> {
  const main = join(repositoryRoot(), 'apps/cli/dist/main.js');
  const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', HOME: home };
  const child = spawn(process.execPath, [main, ...args], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  let err = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    err += `${line}\n`;
    onLine(line.trim());
  });
  const out = await text(child.stdout);
  return { exit: await ended, out, err };
}

/** What a person does at the page: signs in, compares the code, and decides. */
async function decide(person: string, page: string, button: 'Approve' | 'Deny', code: () => string): Promise<void> {
  const browser = new Browser({ headers: { [PERSON_HEADER]: person } });
  await browser.goOn(await browser.goOn(await browser.send(await browser.open(page), 'Sign in at corp')));
  const shown = await browser.open(page);
  expect(shown.text).toContain(code());
  expect(shown.text).toContain('writ-cli');
  await browser.send(shown, button);
}

async function login(person: string, button: 'Approve' | 'Deny', ...args: string[]): Promise<Ran> {
  let decided = Promise.resolve();
  const lines: string[] = [];
  const ran = await run(['login', ...args], (line) => {
    lines.push(line);
    const page = lines.find((one) => one.startsWith(`${url}/sign-in/device`));
    if (page !== undefined && /^[A-Z]{4}-[A-Z]{4}$/.test(line)) decided = decide(person, page, button, () => line);
  });
  await decided;
  return ran;
}

const file = (): string => join(home, '.config/writ/config.json');
interface Stored {
  contexts: Record<string, { credential: { secret: string | null; renewed_at: number } }>;
}
const stored = (): Stored => JSON.parse(readFileSync(file(), 'utf8')) as Stored;
const secretOf = (name: string): string | null => stored().contexts[name]?.credential.secret ?? null;
const statusOf = async (secret: string | null): Promise<number> =>
  (await new Api(url, secret ?? '').get('/v1/tools')).status;

it('a person signs the program in, works as themselves, and signs out', async () => {
  const signedIn = await login('ann', 'Approve', 'work', '--url', url, '--tenant', world.tenantId, '-o', 'json');
  expect({ exit: signedIn.exit, err: signedIn.err }).toEqual({ exit: 0, err: expect.any(String) as string });
  const said = JSON.parse(signedIn.out) as { person_id: string; provider: string; roles: string[] };
  expect(said).toMatchObject({ person_id: expect.stringMatching(/_/) as string, provider: 'corp' });
  expect(said.roles.length).toBeGreaterThan(0);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const who = JSON.parse((await run(['whoami', '-o', 'json'])).out) as Record<string, unknown>;
  expect(who).toMatchObject({ kind: 'session', tenant_id: world.tenantId, person_id: said.person_id });
  expect((await run(['status'])).out).toMatch(/^signed in until +\d{4}-/m);
  expect((await run(['tool', 'list', '-o', 'name'])).out).toContain('tool/fs.read');
  const secret = secretOf('work');
  for (const { out, err } of [signedIn, await run(['status', '--json']), await run(['context', 'get', '--json'])])
    expect(`${out}${err}`).not.toContain(secret);

  // A text that is a quarter of an hour old is replaced by the next command.
  const old = stored();
  old.contexts['work']!.credential.renewed_at -= 16 * 60_000;
  writeFileSync(file(), JSON.stringify(old));
  const both = await Promise.all([run(['whoami']), run(['whoami'])]);
  expect(both.map(({ exit }) => exit)).toEqual([0, 0]);
  const renewed = secretOf('work');
  expect(renewed).not.toBe(secret);
  expect(await statusOf(renewed)).toBe(200);

  expect(await run(['logout'])).toEqual({ exit: 0, out: 'signed out of work\n', err: '' });
  expect(secretOf('work')).toBeNull();
  expect(await statusOf(renewed)).toBe(401);
  const out = await run(['whoami']);
  expect([out.exit, out.err]).toEqual([6, expect.stringContaining('`writ login work`') as string]);

  expect((await login('ann', 'Approve')).exit).toBe(0);
  expect((await run(['whoami'])).exit).toBe(0);
});

it('a session that an administrator ends is over for the program, which says what to do', async () => {
  expect((await login('bob', 'Approve', 'other', '--url', url, '--tenant', world.tenantId)).exit).toBe(0);
  const { items } = (await new Api(url, secretOf('other') ?? '').get('/v1/sign-ins/own')).body as {
    items: { sign_in_id: string; kind: string; ended_at: number | null }[];
  };
  const own = items.find(({ kind, ended_at }) => kind === 'device' && ended_at === null);
  await world.admin.request('DELETE', `/v1/sign-ins/${own!.sign_in_id}`);
  await vi.waitFor(async () => {
    const { exit, err } = await run(['whoami', '--context', 'other']);
    expect([exit, err]).toEqual([6, expect.stringContaining('has ended: `writ login other`') as string]);
  }, 10_000);
  expect((await run(['logout', 'other'])).exit).toBe(0);
});

it('a sign-in that the person denies keeps nothing', async () => {
  const { exit, err } = await login('carl', 'Deny', 'denied', '--url', url, '--tenant', world.tenantId);
  expect([exit, err]).toEqual([4, expect.stringContaining('error access_denied') as string]);
  expect(secretOf('denied')).toBeNull();
});
