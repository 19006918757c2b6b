// SPDX-License-Identifier: Apache-2.0
// What reaches the network from real containers and from broker tools, through the public API. Servers on loopback
// stand for the internet (tests/stack).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import {
  makeWorld,
  mustApproveShown,
  openFakeInternet,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type FakeInternet,
  type Stack,
  type World,
} from '@writ/stack';
import { outsideTls } from '@writ/testing';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let fakeInternet: FakeInternet;
let seen: { method: string; url: string; body: string }[];
let authorizations: (string | undefined)[];
let stack: Stack;
let world: World;
let token: string;

const NET = [
  { domain: '*.outside.example', methods: ['GET', 'POST', 'CONNECT'] },
  { domain: 'inward.example', methods: ['GET', 'CONNECT'] },
];

let repositories: string;

beforeAll(async () => {
  repositories = mkdtempSync(join(tmpdir(), 'writ-repositories-'));
  publishRepository(repositories);
  fakeInternet = await openFakeInternet((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        authorizations.push(request.headers.authorization);
        seen.push({ method: request.method ?? '', url: request.url ?? '', body: Buffer.concat(parts).toString() });
        const published = publishedFile(request.url ?? '');
        if (published === null) response.writeHead(404).end();
        else response.writeHead(200, { 'content-type': 'text/plain' }).end(published);
      });
  });
  stack = await startStack({ programs: { executor: [fakeInternet.program] }, env: { executor: fakeInternet.env } });
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'ca.pem': readFileSync(outsideTls().caPath, 'utf8'), 'body.json': '{"a":1}' },
  });
  token = await tokenFor(NET);
});
afterAll(async () => {
  await stack?.stop();
  fakeInternet?.close();
  rmSync(repositories, { recursive: true, force: true });
});
beforeEach(() => {
  seen = [];
  authorizations = [];
});

/** Makes a repository with one commit that any file server can serve. */
function publishRepository(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=outside', '-c', 'user.email=outside@outside.example', ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'pipe',
    });
  git('init', '-q', 'worked-on');
  writeFileSync(join(folder, 'worked-on', 'read-me.txt'), 'cloned from outside\n');
  git('-C', 'worked-on', 'add', '.');
  git('-C', 'worked-on', 'commit', '-q', '-m', 'the first');
  git('clone', '-q', '--bare', 'worked-on', 'published.git');
  git('-C', 'published.git', 'update-server-info');
}

/** The servers' answers: files of the repository, and one greeting for everything else. */
function publishedFile(url: string): Buffer | string | null {
  const [path = ''] = url.split('?');
  if (!path.startsWith('/published.git/')) return 'hello from outside\n';
  const file = join(repositories, path);
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file) : null;
}

async function tokenFor(net: JsonValue, budgets: JsonValue = {}, secrets: readonly string[] = []): Promise<string> {
  return (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['shell.run', 'net.egress', 'web.fetch'],
        fs: [{ path: '', read: true, write: true }],
        net,
        secrets,
        budgets,
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
}
const run = async (command: string, under = token) =>
  (await world.call('shell.run', { command, on_failure: 'keep' }, { capability_token_id: under })).body;
const recordOf = async (operation: JsonValue) =>
  (await verifiedReceipt(stack, world, operation.operation_id as string)).record;
const PYTHON = (url: string) =>
  `python3 -c "import urllib.request; print(urllib.request.urlopen('${url}').read().decode())"`;

describe('a command in a container', () => {
  it('reaches over http the hosts of its token, and the record has the bytes sent', async () => {
    const body = await run(PYTHON('http://a.outside.example/plain'));
    expect((body.result as JsonValue).output).toContain('hello from outside');
    expect(seen).toMatchObject([{ method: 'GET', url: '/plain' }]);
    const record = await recordOf(body);
    expect(record).toMatchObject({
      egress_count: 1,
      egress_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      tx_outcome: 'no_op',
    });
    const { body: list } = await world.agent.get(`/v1/operations/${body.operation_id as string}/requests`);
    expect(list).toEqual({
      total: 1,
      hash: record['egress_hash'],
      next_cursor: null,
      items: [
        expect.objectContaining({
          method: 'GET',
          target: 'http://a.outside.example/plain',
          outcome: 'answered',
          status: 200,
        }),
      ],
    });
  });

  it('reaches over https through a tunnel, with end-to-end TLS', async () => {
    const body = await run(
      `SSL_CERT_FILE=ca.pem ${PYTHON('https://a.outside.example/secret')}; NODE_EXTRA_CA_CERTS=ca.pem node -e "fetch('https://b.outside.example/by-node').then((r) => r.text()).then(console.log)"`,
    );
    expect((body.result as JsonValue).output).toBe('hello from outside\n\nhello from outside\n\n');
    expect(seen.map(({ url }) => url)).toEqual(['/secret', '/by-node']);
    // Nobody saw the content of the tunnel: it counts as an external effect, and it ended well.
    expect(await recordOf(body)).toMatchObject({
      egress_count: 2,
      tx_outcome: 'committed',
      new_snapshot_id: null,
      commit_delta_id: expect.stringMatching(/^delta_/),
    });
  });

  it('configures git for its proxy', async () => {
    const body = await run('git -c http.sslCAInfo=$PWD/ca.pem ls-remote https://git.outside.example/repository.git');
    expect(seen.map(({ url }) => url)).toEqual(
      expect.arrayContaining([expect.stringContaining('/repository.git/info/refs')]),
    );
    expect(await recordOf(body)).toMatchObject({ egress_count: 1 });
  });

  it('fetches and sends with curl, over http and through a tunnel', async () => {
    const body = await run(
      'curl -sS http://a.outside.example/by-curl && curl -sS -d a=1 http://b.outside.example/sent && curl -sS --cacert ca.pem https://a.outside.example/tunnelled',
    );
    expect(body).toMatchObject({ status: 'ok', result: { exit_code: 0, output: 'hello from outside\n'.repeat(3) } });
    expect(seen).toEqual([
      { method: 'GET', url: '/by-curl', body: '' },
      { method: 'POST', url: '/sent', body: 'a=1' },
      { method: 'GET', url: '/tunnelled', body: '' },
    ]);
    expect(await recordOf(body)).toMatchObject({ egress_count: 3, tx_outcome: 'committed' });
  });

  it("clones with git over http, and files copied from the clone are the call's effect", async () => {
    const body = await run(
      'git clone -q http://git.outside.example/published.git /tmp/clone && cp /tmp/clone/read-me.txt cloned.txt && cat cloned.txt',
    );
    expect(body).toMatchObject({
      status: 'ok',
      tx_outcome: 'committed',
      result: { exit_code: 0, output: 'cloned from outside\n' },
    });
    expect(seen.every(({ method, url }) => method === 'GET' && url.startsWith('/published.git/'))).toBe(true);
    expect(await world.file('cloned.txt')).toBe('cloned from outside\n');
    expect((await recordOf(body))['egress_count']).toBe(seen.length);
  });

  it('makes curl and git report a refusal, with its reason where they can', async () => {
    const refused = await run(
      'curl -sS http://elsewhere.example/; curl -sS https://elsewhere.example/; git ls-remote http://elsewhere.example/published.git',
    );
    const { output } = refused.result as { output: string };
    expect(output).toContain(
      'writ: token.scope: the capability token does not let `GET` of `http://elsewhere.example/` out',
    );
    expect(output).toContain('remote: writ: token.scope:');
    expect(output).toMatch(/curl: \(56\).*403/);
    expect(output).toMatch(/fatal: unable to access 'http:\/\/elsewhere\.example\/published\.git\/': .*403/);
    expect(seen).toEqual([]);
    expect(await recordOf(refused)).toMatchObject({ egress_count: 3 });
  });

  it("gets the reason of a refusal in its program's error, and the refusal is recorded", async () => {
    const body = await run(
      `${PYTHON('http://elsewhere.example/')}; ${PYTHON('https://elsewhere.example/')}; ${PYTHON('http://inward.example/')}`,
    );
    const { output } = body.result as { output: string };
    expect(output.match(/403/g)?.length).toBeGreaterThanOrEqual(3);
    expect(seen).toEqual([]);
    expect(await recordOf(body)).toMatchObject({ egress_count: 3, tx_outcome: 'no_op' });
  });

  it('reaches nothing under a token without hosts, with or without its proxy', async () => {
    const body = await run(
      `${PYTHON('http://a.outside.example/')}; env -u http_proxy ${PYTHON('http://93.184.216.34/')}; python3 -c "import socket; socket.create_connection(('127.0.0.1', 80), 1)"`,
      world.tokenId,
    );
    expect((body.result as JsonValue).output).toMatch(/403[^]*(?:unreachable|resolution|refused)/);
    expect(seen).toEqual([]);
  });

  it("is cut off at the token's egress bytes, which are settled", async () => {
    const short = await tokenFor(NET, { egress_bytes: 600 });
    await run(`for n in 1 2 3 4 5 6 7 8; do ${PYTHON('http://a.outside.example/n')}; done`, short);
    expect(seen.length).toBeLessThan(8);
    const used = (await world.admin.get(`/v1/capability-tokens/${short}`)).body as JsonValue;
    expect(JSON.stringify(used)).toContain('egress_bytes');
  });
});

describe('a broker tool', () => {
  it('sends after an approval, and is committed', async () => {
    const args = {
      route: { method: 'POST', url: 'https://api.outside.example/v1' },
      purpose: 'to tell them',
      payload_ref: 'body.json',
    };
    const held = await world.call('net.egress', args, { capability_token_id: token });
    expect([held.status, held.body.state]).toEqual([202, 'held']);
    expect(seen).toEqual([]);
    await mustApproveShown(world.operator, held.body.approval_id);
    const operation = await world.until(held.body.operation_id as string, ['committed']);
    expect((operation.result as JsonValue).result).toMatchObject({ status: 200, body: 'hello from outside\n' });
    expect(seen).toEqual([{ method: 'POST', url: '/v1', body: '{"a":1}' }]);
    expect(await recordOf(operation)).toMatchObject({ egress_count: 1, tx_outcome: 'committed' });
  });

  it('sends a secret in a header unseen by the container, where token and person allow it', async () => {
    expect(
      (await world.admin.request('PUT', '/v1/secrets', { name: 'API_KEY', value: 'marker-77aa-of-a-key' })).status,
    ).toBe(200);
    const args = {
      route: { method: 'GET', url: 'https://api.outside.example/with-key' },
      purpose: 'to ask',
      headers: [{ name: 'authorization', value: 'Bearer ${secret:API_KEY}' }],
    };
    expect((await world.call('net.egress', args, { capability_token_id: token })).body).toMatchObject({
      error: { code: 'token.scope' },
    });
    const held = await world.call('net.egress', args, { capability_token_id: await tokenFor(NET, {}, ['API_KEY']) });
    expect(held.body.state).toBe('held');
    const { text } = await world.operator.get(`/v1/approvals/${held.body.approval_id as string}`);
    expect(text).toContain('Bearer ${secret:API_KEY}');
    await mustApproveShown(world.operator, held.body.approval_id);
    const operation = await world.until(held.body.operation_id as string, [
      'committed',
      'no_op',
      'rolled_back',
      'ambiguous',
    ]);
    expect(authorizations).toEqual(['Bearer marker-77aa-of-a-key']);
    expect(operation).toMatchObject({ result: { status: 'ok' } });
    expect(JSON.stringify(operation)).not.toContain('marker-77aa');
  });

  it("reads a page with a secret in a header, and redacts it in the page's text", async () => {
    expect(
      (await world.admin.request('PUT', '/v1/secrets', { name: 'PAGE_KEY', value: 'marker-41cd-of-a-page' })).status,
    ).toBe(200);
    const args = {
      url: 'https://www.outside.example/page',
      headers: [{ name: 'authorization', value: 'Bearer ${secret:PAGE_KEY}' }],
    };
    expect((await world.call('web.fetch', args, { capability_token_id: token })).body).toMatchObject({
      error: { code: 'token.scope' },
    });
    const read = await world.call('web.fetch', args, { capability_token_id: await tokenFor(NET, {}, ['PAGE_KEY']) });
    expect(read.body).toMatchObject({ status: 'ok', tx_outcome: 'no_op', result: { text: 'hello from outside\n' } });
    expect(authorizations).toEqual(['Bearer marker-41cd-of-a-page']);
    expect(JSON.stringify(read.body)).not.toContain('marker-41cd');
  });

  it('reads a page, and refuses hosts outside its token before any request', async () => {
    const read = await world.call(
      'web.fetch',
      { url: 'https://www.outside.example/page' },
      { capability_token_id: token },
    );
    expect(read.body).toMatchObject({ status: 'ok', tx_outcome: 'no_op', result: { text: 'hello from outside\n' } });
    const refused = await world.call(
      'web.fetch',
      { url: 'https://elsewhere.example/' },
      { capability_token_id: token },
    );
    expect(refused.body).toMatchObject({ status: 'error', error: { code: 'token.scope' } });
    const inward = await world.call('web.fetch', { url: 'https://inward.example/' }, { capability_token_id: token });
    expect(inward.body).toMatchObject({ status: 'error', error: { code: 'egress.refused' } });
    expect(seen).toHaveLength(1);
  });
});
