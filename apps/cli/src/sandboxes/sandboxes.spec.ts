// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitionBytes, readDefinition, sandboxDefinitionDigest, verifySandbox } from '@writ/mk8-shell';
import { parseSigner, parseVerifier, type Envelope } from '@writ/signing';
import { fakeApi, writ, type FakeApi, type ReceivedRequest, type FakeResponse } from '../specs/run-cli.ts';

const WORKSPACE = `wsp_${'0'.repeat(26)}`;
const SENT = {
  workspace_id: WORKSPACE,
  rules: {},
  enabled_templates: null,
  fragments: { greet: [{ verb: 'Echo', args: ['hi'] }] },
};
const { definition } = readDefinition(SENT);
const bytes = definitionBytes(
  definition ??
    (() => {
      throw new Error('no definition');
    })(),
);
const view = {
  name: 'build',
  workspace_id: WORKSPACE,
  definition_digest: sandboxDefinitionDigest(bytes),
  keyid: null,
  signed_at: null,
  updated_by: 'key_1',
  created_at: 1,
  updated_at: 1,
};
const whole = {
  ...view,
  tenant_id: 'ten_a',
  definition: SENT,
  environment: null,
  digest: null,
  problem: 'nobody has signed it\u001b[2J',
};
const key = (keyid: string, state = 'active') => ({
  keyid,
  public_key: { kty: 'OKP', crv: 'Ed25519', x: keyid },
  note: null,
  state,
  created_by: 'key_1',
  created_at: 1,
  ended_by: null,
  ended_at: null,
});

let folder: string;
let api: FakeApi;
let answer: (heard: ReceivedRequest) => FakeResponse;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-cli-'));
  answer = () => ({ body: whole });
  api = await fakeApi((heard) => answer(heard));
});
afterEach(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});
const run = (...args: string[]) => writ(['sandbox', ...args], { env: api.env, cwd: folder });
const newKeyFile = async (): Promise<string> => {
  await run('key', 'new', 'registrar.pem');
  return readFileSync(join(folder, 'registrar.pem'), 'utf8');
};
const bodyOf = (n: number) => JSON.parse(api.requests[n]?.body ?? '{}') as Record<string, unknown>;

test('a private key is written to a new file of mode 0600, and is never printed, sent or overwritten', async () => {
  const ran = await run('key', 'new', 'registrar.pem', '--json');
  const pem = readFileSync(join(folder, 'registrar.pem'), 'utf8');
  expect(statSync(join(folder, 'registrar.pem')).mode & 0o777).toBe(0o600);
  expect(JSON.parse(ran.out)).toMatchObject({ keyid: parseSigner(pem).keyid });
  expect(await run('key', 'new', 'registrar.pem')).toMatchObject({ exit: 2 });
  expect(readFileSync(join(folder, 'registrar.pem'), 'utf8')).toBe(pem);
  answer = () => ({ body: key('A'.repeat(43)) });
  expect(await run('key', 'add', 'registrar.pem', '--note', 'mine')).toMatchObject({ exit: 0 });
  expect(bodyOf(0)).toEqual({ public_key: parseSigner(pem).publicJwk, note: 'mine' });
  const secret = pem.split('\n')[1] ?? '';
  expect(secret.length).toBeGreaterThan(40);
  expect(JSON.stringify([ran, api.requests])).not.toContain(secret);
});

test('keys are listed, retired and revoked by their ids', async () => {
  answer = ({ method }) => ({
    body: method === 'GET' ? { items: [key('A'.repeat(43))], next_cursor: null } : key('A'.repeat(43), 'revoked'),
  });
  expect((await run('key')).out).toMatch(/since +key +state[^]*A{43} +active/);
  for (const verb of ['retire', 'revoke']) expect((await run('key', verb, 'A'.repeat(43))).out).toContain('revoked');
  expect(api.requests.slice(1).map(({ method, url }) => `${method} ${url}`)).toEqual([
    `POST /v1/registrar-keys/${'A'.repeat(43)}/retire`,
    `POST /v1/registrar-keys/${'A'.repeat(43)}/revoke`,
  ]);
});

test('a key id that begins with a dash is accepted at any position; an invalid id is refused and not sent', async () => {
  answer = () => ({ body: key('A'.repeat(43), 'retired') });
  for (const keyid of [`-mTP6${'o'.repeat(38)}`, `--json${'o'.repeat(37)}`, `-h${'o'.repeat(41)}`]) {
    expect(await run('key', 'retire', keyid, '--json')).toMatchObject({ exit: 0, err: '' });
    expect(await run('key', '--json', 'retire', keyid)).toMatchObject({ exit: 0, err: '' });
    expect(api.requests.splice(0).map(({ url }) => url)).toEqual(Array(2).fill(`/v1/registrar-keys/${keyid}/retire`));
  }
  for (const args of [['--jsn'], ['A'.repeat(42)], ['A'.repeat(43), '--jsn'], []])
    expect(await run('key', 'revoke', ...args)).toMatchObject({
      exit: 2,
      err: expect.stringContaining('error usage: ') as unknown,
    });
  expect((await run('key', 'revoke', '--jsn')).err).toContain('`writ sandbox key list`');
  expect(api.requests).toEqual([]);
});

test('a sandbox is signed locally, over its definition and an environment file, and the signature verifies', async () => {
  const signer = parseSigner(await newKeyFile());
  writeFileSync(join(folder, 'env'), '# who\nWHO=world\n');
  expect(await run('sign', 'build', '--env', 'env', '--key', 'registrar.pem')).toMatchObject({ exit: 0, err: '' });
  expect(api.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/sandboxes/build',
    'PUT /v1/sandboxes/build/signature',
  ]);
  const { envelope } = bodyOf(1) as { envelope: Envelope };
  const sandbox = verifySandbox(
    { tenantId: 'ten_a', name: 'build', definition: bytes, envelope },
    new Map([[signer.keyid, parseVerifier(signer.publicJwk)]]),
  );
  expect([...sandbox.environment]).toEqual([['WHO', 'world']]);
});

test("signing fails for a definition that doesn't match its digest, an invalid environment, and a missing key", async () => {
  await newKeyFile();
  writeFileSync(join(folder, 'env'), 'no line\n');
  expect(await run('sign', 'build', '--env', 'env', '--key', 'registrar.pem')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('line 1') as unknown,
  });
  expect(await run('sign', 'build', '--key', 'env')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('writ sandbox key new') as unknown,
  });
  answer = () => ({ body: { ...whole, definition: { ...SENT, fragments: {} } } });
  expect(await run('sign', 'build', '--key', 'registrar.pem')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('sandbox.unverified') as unknown,
  });
  expect(api.requests.every(({ method }) => method === 'GET')).toBe(true);
});

test('a sandbox is registered from files, and every problem is reported with its pointer', async () => {
  writeFileSync(join(folder, 'fragments.json'), JSON.stringify(SENT.fragments));
  answer = () => ({ body: { valid: true, problems: [], sandbox: view } });
  const ran = await run(
    'register',
    'build',
    '--workspace',
    WORKSPACE,
    '--fragments',
    `@${join(folder, 'fragments.json')}`,
    '--templates',
    'git.status, git.log',
  );
  expect(ran).toMatchObject({ exit: 0, out: expect.stringContaining('writ sandbox sign build') as unknown });
  expect(bodyOf(0)).toEqual({
    name: 'build',
    workspace_id: WORKSPACE,
    fragments: SENT.fragments,
    enabled_templates: ['git.status', 'git.log'],
  });
  answer = () => ({
    body: {
      valid: false,
      problems: [{ pointer: '/rules/blacklist/0/kind', message: 'must be one of' }],
      sandbox: null,
    },
  });
  expect(await run('register', 'build', '--workspace', WORKSPACE)).toMatchObject({
    exit: 1,
    out: '',
    err: expect.stringContaining('/rules/blacklist/0/kind: must be one of') as unknown,
  });
  expect(await run('register', 'build')).toMatchObject({ exit: 2 });
});

test('sandboxes are listed, shown with control characters escaped, and removed', async () => {
  answer = ({ method, url }) => ({
    body:
      method === 'DELETE' ? { removed: 'build' } : url.includes('build') ? whole : { items: [view], next_cursor: null },
  });
  expect((await run()).out).toMatch(/sandbox +workspace +signed[^]*build +wsp_0+ +no/);
  const shown = (await run('show', 'build')).out;
  expect(shown).toMatch(/scripts run +no: nobody has signed it/);
  expect(shown).not.toContain('\u001b');
  expect((await run('remove', 'build')).out).toContain('removed build');
  expect(JSON.parse((await run('show', 'build', '--json')).out)).toEqual(whole);
});
