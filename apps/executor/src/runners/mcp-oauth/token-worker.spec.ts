// SPDX-License-Identifier: Apache-2.0
// What executors do at authorization servers. INVARIANT (nothing quoted): no problem has a code, a token or a secret.
import { inspect } from 'node:util';
import { formatId } from '@writ/contract';
import type { ClaimedTokenWork } from '../../foundation/kernel-client.ts';
import { ExternalHosts } from '../../specs/external-hosts.ts';
import {
  ISSUER,
  json,
  METADATA,
  OAuthUpstream,
  SERVER_URL,
  status,
  type OAuthAnswer,
} from '../../specs/oauth-upstream.ts';
import { TokenWorker } from './token-worker.ts';

const AT_ISSUER = `GET ${ISSUER}/.well-known/oauth-authorization-server`;
const AT_TOKENS = `POST ${ISSUER}/token`;
const AT_REVOKE = `POST ${ISSUER}/revoke`;
const GIVEN = {
  access_token: 'marker-new-access',
  token_type: 'Bearer',
  expires_in: 3_600,
  refresh_token: 'marker-new',
};

let outside: ExternalHosts;
let upstream: OAuthUpstream;
let worker: TokenWorker;
beforeEach(async () => {
  outside = await ExternalHosts.open();
  upstream = new OAuthUpstream(outside);
  worker = new TokenWorker({ ports: outside.ports, privateEndpoints: [] }, () => performance.now());
});
afterEach(() => outside.close());

const workOf = (more: Partial<ClaimedTokenWork> = {}): ClaimedTokenWork => ({
  tenant_id: formatId('tenant', new Uint8Array(16)),
  connection_id: formatId('connection', new Uint8Array(16)),
  claim: 1,
  work: 'exchange',
  issuer: ISSUER,
  client_id: 'writ',
  resource: SERVER_URL,
  redirect_uri: 'https://writ.example/connect/done',
  report_key: '',
  secrets: { code: 'marker-code', verifier: 'marker-verifier' },
  ...more,
});
const REFRESH = { work: 'refresh', secrets: { refresh_token: 'marker-old' } } as const;
const REVOKE = { work: 'revoke', secrets: { refresh_token: 'marker-old', access_token: 'marker-access' } } as const;
const never = new AbortController().signal;
async function run(more: Partial<ClaimedTokenWork> = {}) {
  const report = await worker.run(workOf(more), never);
  expect(inspect(report.problem)).not.toContain('marker');
  return report;
}
const sent = () => Object.fromEntries(new URLSearchParams(outside.received.at(-1)!.body));
const answer = (to: OAuthAnswer) => {
  upstream.answers[AT_TOKENS] = to;
};

describe('the work at an authorization server', () => {
  it('exchanges a code with its verifier, for the one resource', async () => {
    answer(json({ ...GIVEN, scope: 'a  b' }));
    expect(await run()).toEqual({
      tokens: { access_token: 'marker-new-access', refresh_token: 'marker-new', expires_in: 3_600, scopes: ['a', 'b'] },
      problem: null,
      final: false,
    });
    expect(sent()).toEqual({
      grant_type: 'authorization_code',
      client_id: 'writ',
      code: 'marker-code',
      code_verifier: 'marker-verifier',
      redirect_uri: 'https://writ.example/connect/done',
      resource: SERVER_URL,
    });
    expect(outside.received.at(-1)!.headers.authorization).toBeUndefined();
  });

  it('renews tokens, where the server may keep the refresh token, and says no time', async () => {
    answer(json({ access_token: 'marker-new-access', token_type: 'bearer' }));
    expect(await run(REFRESH)).toMatchObject({
      tokens: { access_token: 'marker-new-access', refresh_token: null, expires_in: null, scopes: null },
    });
    expect(sent()).toEqual({
      grant_type: 'refresh_token',
      client_id: 'writ',
      refresh_token: 'marker-old',
      resource: SERVER_URL,
    });
  });

  it.each<
    [string, readonly string[] | undefined, (body: Record<string, string>, header: string | undefined) => boolean]
  >([
    ['in a header by default', undefined, (_body, header) => header === `Basic ${btoa('writ:marker%3Asecret')}`],
    ['in a header', ['client_secret_post', 'client_secret_basic'], (_body, header) => header !== undefined],
    [
      'in the form, where the server takes it there alone',
      ['client_secret_post'],
      (body, header) => header === undefined && body['client_secret'] === 'marker:secret',
    ],
  ])('authenticates a client with a secret %s', async (_what, methods, isSent) => {
    upstream.answers[AT_ISSUER] = json({ ...METADATA, token_endpoint_auth_methods_supported: methods });
    answer(json(GIVEN));
    const client_secret = 'marker:secret';
    expect((await run({ ...REFRESH, secrets: { ...REFRESH.secrets, client_secret } })).problem).toBeNull();
    expect(isSent(sent(), outside.received.at(-1)!.headers.authorization)).toBe(true);
  });

  it('revokes both tokens, the refresh token first, and nothing where the server has no such endpoint', async () => {
    expect(await run(REVOKE)).toEqual({ tokens: null, problem: null, final: false });
    expect(outside.received.slice(1).map(({ body }) => new URLSearchParams(body).get('token'))).toEqual([
      'marker-old',
      'marker-access',
    ]);
    worker = new TokenWorker({ ports: outside.ports, privateEndpoints: [] }, () => 0);
    upstream.answers[AT_ISSUER] = json({ ...METADATA, revocation_endpoint: undefined });
    upstream.requests.length = 0;
    expect(await run(REVOKE)).toMatchObject({ problem: null });
    expect(upstream.requests).toEqual([AT_ISSUER]);
  });

  it('reads the metadata of the issuer once in five minutes, and anew after a failure', async () => {
    let now = 1;
    worker = new TokenWorker({ ports: outside.ports, privateEndpoints: [] }, () => now);
    answer(json(GIVEN));
    const reads = () => upstream.requests.filter((asked) => asked === AT_ISSUER).length;
    await run(REFRESH);
    await run(REFRESH);
    expect(reads()).toBe(1);
    now = 300_002;
    await run(REFRESH);
    expect(reads()).toBe(2);
    answer(status(500));
    await run(REFRESH);
    await run(REFRESH);
    expect(reads()).toBe(3);
  });

  it('reads no challenge of the server, however long it is', async () => {
    const challenge = { 'www-authenticate': `Bearer ${'a="b", '.repeat(1_500)}c="d"` };
    answer(json({ error: 'invalid_client' }, 401, challenge));
    expect((await run(REFRESH)).problem?.message).toContain('`invalid_client`');
    answer(status(401, { 'www-authenticate': 'Basic realm="marker"' }));
    expect((await run(REFRESH)).problem?.message).toContain('none of OAuth');
  });

  it.each([
    ['scopes that are none', { scope: 'a\u0000b' }],
    ['a token that no header holds', { access_token: 'marker\nnew' }],
  ])('revokes tokens that come with %s, since nobody keeps them', async (_what, more) => {
    answer(json({ ...GIVEN, ...more }));
    expect(await run(REFRESH)).toMatchObject({
      tokens: null,
      final: false,
      problem: { code: 'mcp.token_unavailable' },
    });
    const revoked = outside.received.filter(({ url }) => url === '/revoke');
    expect(revoked.map(({ body }) => new URLSearchParams(body).get('token'))).toEqual([
      'marker-new',
      { ...GIVEN, ...more }.access_token,
    ]);
  });

  const error = (code: string, http = 400) => json({ error: code, error_description: 'marker-old is bad' }, http);
  it.each<[string, Partial<ClaimedTokenWork>, OAuthAnswer, string, boolean, string]>([
    ['a refused code', {}, error('invalid_grant'), 'mcp.consent_failed', true, 'invalid_grant'],
    ['a refused client', {}, error('invalid_client', 401), 'mcp.consent_failed', true, 'invalid_client'],
    ['a refused refresh token', REFRESH, error('invalid_grant'), 'mcp.consent_required', true, 'invalid_grant'],
    [
      'a client that is refused for now',
      REFRESH,
      error('invalid_client'),
      'mcp.token_unavailable',
      false,
      'invalid_client',
    ],
    ['an error that is no code', REFRESH, error('marker old'), 'mcp.token_unavailable', false, 'an error'],
    ['a server that is down', REFRESH, status(503), 'mcp.token_unavailable', false, 'none of OAuth'],
    [
      'a redirect',
      REFRESH,
      status(307, { location: `${ISSUER}/other` }),
      'mcp.token_unavailable',
      false,
      'none of OAuth',
    ],
    ['no answer', {}, (_asked, response) => response.destroy(), 'mcp.consent_failed', false, 'did not answer'],
    ['no JSON', {}, (_asked, response) => response.end('marker-new'), 'mcp.consent_failed', false, 'none of OAuth'],
    ['no token', {}, json({ token_type: 'bearer', x: 'marker' }), 'mcp.consent_failed', false, 'none of OAuth'],
    ['tokens of another kind', {}, json({ ...GIVEN, token_type: 'DPoP' }), 'mcp.consent_failed', false, 'no bearer'],
    [
      'a token that no header holds',
      {},
      json({ ...GIVEN, access_token: 'marker\nnew' }),
      'mcp.consent_failed',
      false,
      'header',
    ],
    [
      'a very long answer',
      {},
      json({ ...GIVEN, access_token: 'x'.repeat(70_000) }),
      'mcp.consent_failed',
      false,
      'bytes',
    ],
  ])('that ends with %s is reported, and nothing is quoted', async (_what, of, reply, code, final, words) => {
    answer(reply);
    const report = await run(of);
    expect(report).toMatchObject({ tokens: null, final, problem: { code } });
    expect(report.problem?.message).toContain(words);
    expect(upstream.requests.filter((asked) => asked !== AT_REVOKE).at(-1)).toBe(AT_TOKENS);
  });

  it('goes to nobody but the issuer, and over TLS', async () => {
    upstream.answers[AT_ISSUER] = json({ ...METADATA, issuer: 'https://evil.outside.example' });
    expect(await run(REFRESH)).toMatchObject({ problem: { code: 'mcp.token_unavailable' } });
    expect(await run({ ...REFRESH, issuer: 'http://login.outside.example' })).toMatchObject({ final: false });
    expect(upstream.requests).toEqual([AT_ISSUER]);
  });

  it('that nobody keeps the tokens of revokes them', async () => {
    answer(json(GIVEN));
    await worker.discard(workOf(REFRESH), await run(REFRESH), never);
    const revoked = outside.received.filter(({ url }) => url === '/revoke');
    expect(revoked.map(({ body }) => new URLSearchParams(body).get('token'))).toEqual([
      'marker-new',
      'marker-new-access',
    ]);
    upstream.answers[AT_REVOKE] = status(500);
    await worker.discard(workOf(REFRESH), await run(REFRESH), never);
  });
});
