// SPDX-License-Identifier: Apache-2.0
// How the authorization server of an MCP server is found, and which are not taken. Both wrote what is read.
import { ExternalHosts } from '../../specs/external-hosts.ts';
import { ISSUER, json, METADATA, OAuthUpstream, SERVER_URL, status } from '../../specs/oauth-upstream.ts';
import { lookForAuthorization } from './look-for-authorization.ts';

const WELL_KNOWN = 'https://mcp.outside.example/.well-known/oauth-protected-resource';
const AT_ISSUER = `GET ${ISSUER}/.well-known/oauth-authorization-server`;
const FOUND = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  resource: SERVER_URL,
  names_issuer: true,
};

let outside: ExternalHosts;
let upstream: OAuthUpstream;
beforeEach(async () => {
  outside = await ExternalHosts.open();
  upstream = new OAuthUpstream(outside);
});
afterEach(() => outside.close());

const look = async (more: { authorization_server?: string } = {}, url = SERVER_URL) =>
  await lookForAuthorization(
    { ports: outside.ports, privateEndpoints: [] },
    { transport: 'http', url, credential: { oauth: { client_id: 'writ', scopes: [], ...more } } },
    new AbortController().signal,
  );
const metadataOfServer = (more: object = {}) =>
  json({ resource: SERVER_URL, authorization_servers: [ISSUER], ...more });

describe('the authorization server of an MCP server', () => {
  it('is found by the metadata of both, without a credential', async () => {
    expect(await look()).toEqual({ authorization: FOUND });
    expect(upstream.requests).toEqual([`POST ${SERVER_URL}`, `GET ${WELL_KNOWN}/mcp`, AT_ISSUER]);
    expect(outside.received.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  it('is found where the server says that its metadata is, if that is the server itself', async () => {
    const hint = (url: string) => status(401, { 'www-authenticate': `Bearer resource_metadata="${url}"` });
    upstream.answers[`POST ${SERVER_URL}`] = hint('https://mcp.outside.example/meta');
    upstream.answers['GET https://mcp.outside.example/meta'] = metadataOfServer({
      resource: 'https://mcp.outside.example/',
    });
    expect(await look()).toEqual({ authorization: { ...FOUND, resource: 'https://mcp.outside.example/' } });
    upstream.requests.length = 0;
    upstream.answers[`POST ${SERVER_URL}`] = hint('https://evil.outside.example/meta');
    expect(await look()).toEqual({ authorization: FOUND });
    expect(upstream.requests.join(' ')).not.toContain('evil');
    upstream.requests.length = 0;
    const long = `Bearer ${'a="b", '.repeat(1_500)}resource_metadata="https://mcp.outside.example/meta"`;
    upstream.answers[`POST ${SERVER_URL}`] = status(401, { 'www-authenticate': long });
    expect(await look()).toEqual({ authorization: FOUND });
    expect(upstream.requests.join(' ')).not.toContain('/meta');
  });

  it('is the one that an administrator named, also where the server says nothing', async () => {
    upstream.answers = {
      [AT_ISSUER]: json({ ...METADATA, authorization_response_iss_parameter_supported: undefined }),
    };
    expect(await look({ authorization_server: ISSUER })).toEqual({ authorization: { ...FOUND, names_issuer: false } });
    expect(await look()).toMatchObject({ problem: { code: 'mcp.authorization_unusable' } });
  });

  it.each(['authorization_endpoint', 'token_endpoint'])(
    'has its %s at its own host, unless it names itself in each answer or an administrator named it',
    async (endpoint) => {
      const elsewhere = { ...METADATA, [endpoint]: 'https://honest.outside.example/x?prompt=none' };
      upstream.answers[AT_ISSUER] = json({ ...elsewhere, authorization_response_iss_parameter_supported: undefined });
      const found = await look();
      expect(found).toMatchObject({
        problem: { code: 'mcp.authorization_unusable', message: expect.stringContaining('another host') as unknown },
      });
      expect(await look({ authorization_server: ISSUER })).toMatchObject({ authorization: { issuer: ISSUER } });
      upstream.answers[AT_ISSUER] = json(elsewhere);
      expect(await look()).toMatchObject({ authorization: { issuer: ISSUER, names_issuer: true } });
    },
  );

  it.each([
    [`${ISSUER}/.well-known/openid-configuration`, ISSUER],
    [`${ISSUER}/.well-known/oauth-authorization-server/tenant`, `${ISSUER}/tenant`],
    [`${ISSUER}/.well-known/openid-configuration/tenant`, `${ISSUER}/tenant`],
    [`${ISSUER}/tenant/.well-known/openid-configuration`, `${ISSUER}/tenant`],
  ])('may have its metadata at %s', async (url, issuer) => {
    upstream.answers = { [`GET ${url}`]: json({ ...METADATA, issuer }) };
    expect(await look({ authorization_server: issuer })).toEqual({ authorization: { ...FOUND, issuer } });
  });

  const set = (asked: string, answer: ReturnType<typeof json>) => (): void => {
    upstream.answers[asked] = answer;
  };
  it.each<[string, () => void, string]>([
    [
      'another issuer than it is asked for',
      set(AT_ISSUER, json({ ...METADATA, issuer: `${ISSUER}/other` })),
      'none of OAuth',
    ],
    ['no PKCE', set(AT_ISSUER, json({ ...METADATA, code_challenge_methods_supported: undefined })), 'PKCE'],
    ['plain PKCE alone', set(AT_ISSUER, json({ ...METADATA, code_challenge_methods_supported: ['plain'] })), 'PKCE'],
    [
      'a place for persons over http',
      set(AT_ISSUER, json({ ...METADATA, authorization_endpoint: 'http://login.outside.example/a' })),
      'authorization_endpoint',
    ],
    [
      'a place for persons that is a script',
      set(AT_ISSUER, json({ ...METADATA, authorization_endpoint: 'javascript:alert(1)' })),
      'authorization_endpoint',
    ],
    [
      'a place for tokens over http',
      set(AT_ISSUER, json({ ...METADATA, token_endpoint: 'http://login.outside.example/t' })),
      'token_endpoint',
    ],
    ['no metadata', set(AT_ISSUER, status(404)), 'no metadata'],
    ['metadata behind a redirect', set(AT_ISSUER, status(302, { location: 'https://evil.example/' })), 'no metadata'],
    ['metadata that is no JSON', set(AT_ISSUER, (_asked, response) => response.end('<html>')), 'none of OAuth'],
    ['too much metadata', set(AT_ISSUER, json({ ...METADATA, more: 'x'.repeat(70_000) })), 'too many bytes'],
    ['a broken connection', set(AT_ISSUER, (_asked, response) => response.destroy()), 'did not answer'],
    [
      'a server that calls itself another one',
      set(`GET ${WELL_KNOWN}/mcp`, metadataOfServer({ resource: 'https://other.outside.example/mcp' })),
      'another resource',
    ],
    [
      'a server that calls itself a path beside its own',
      set(`GET ${WELL_KNOWN}/mcp`, metadataOfServer({ resource: 'https://mcp.outside.example/mc' })),
      'another resource',
    ],
    [
      'an issuer over http',
      set(`GET ${WELL_KNOWN}/mcp`, metadataOfServer({ authorization_servers: ['http://login.outside.example'] })),
      'no URL',
    ],
    [
      'an issuer within',
      () => {
        outside.addressesOf = (host) => [host.startsWith('login') ? '10.0.0.1' : '93.184.216.34'];
      },
      '`login.outside.example`',
    ],
  ])('is not used with %s, and the problem says so', async (_what, prepare, words) => {
    prepare();
    const found = await look();
    expect(found).toMatchObject({
      problem: { code: 'mcp.authorization_unusable', message: expect.stringContaining(words) as unknown },
    });
  });

  it('is not looked for where the server takes no rights of persons', async () => {
    const settings = { transport: 'http', url: SERVER_URL } as const;
    const parts = { ports: outside.ports, privateEndpoints: [] };
    expect(await lookForAuthorization(parts, settings, new AbortController().signal)).toBeNull();
    expect(upstream.requests).toEqual([]);
  });
});
