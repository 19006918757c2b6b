// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import { memoryBlobs, type BlobStore } from '@writ/blobs';
import { Fault, formatId, RESOURCE_SECRET_PREFIX, type McpListing, type McpHttpSettings } from '@writ/contract';
import { parsePrivateEndpoints } from '@writ/egress';
import { InlineTaskRunner } from '@writ/worker-pool';
import { executorTasks } from '../../calls/worker-tasks.ts';
import type { ClaimedServer, McpReport } from '../../foundation/kernel-client.ts';
import { ExternalHosts } from '../../specs/external-hosts.ts';
import { McpUpstream, REMOTE_TOOL } from '../../specs/mcp-upstream.ts';
import { ISSUER, OAuthUpstream } from '../../specs/oauth-upstream.ts';
import { listServer } from './list-server.ts';
import { McpIntake, type McpIntakeParts } from './mcp-intake.ts';
import { McpSessions } from './mcp-sessions.ts';
import { NotListedHere } from './not-listed-here.ts';

const SECRET = 'key-0123456789-secret';
const tenant_id = formatId('tenant', new Uint8Array(16).fill(1));
const executorId = formatId('executor', new Uint8Array(16).fill(2));

function claimOf(settings: Partial<McpHttpSettings> = {}): ClaimedServer {
  const own = {
    transport: 'http',
    url: 'https://mcp.outside.example/mcp',
    credential: { secret: 'GITHUB' },
    ...settings,
  };
  return {
    tenant_id,
    claim: 1,
    resource: {
      resource_id: formatId('resource', new Uint8Array(16)),
      kind: 'mcp_server',
      name: 'github',
      settings: own,
      owner_agent_id: null,
      digest: '0'.repeat(64),
    },
    secrets: { [`${RESOURCE_SECRET_PREFIX}GITHUB`]: SECRET },
  } as ClaimedServer;
}

let outside: ExternalHosts;
let server: McpUpstream;
let blobs: BlobStore;
let failures: unknown[];
let intake: McpIntake;
beforeEach(async () => {
  outside = await ExternalHosts.open();
  server = new McpUpstream(outside);
  blobs = memoryBlobs();
  failures = [];
});
afterEach(async () => {
  await intake.stop();
  await outside.close();
});

/** What is reported of a claim. */
async function reportOf(
  claim: ClaimedServer,
  endpoints = '',
  own: Partial<Pick<McpIntakeParts, 'list' | 'blobs'>> = {},
): Promise<McpReport> {
  const claims = [claim];
  const reported = Promise.withResolvers<McpReport>();
  const parts = {
    sessions: new McpSessions(new InlineTaskRunner(executorTasks)),
    ports: outside.ports,
    privateEndpoints: parsePrivateEndpoints(endpoints),
  };
  intake = new McpIntake({
    kernel: {
      claimMcpServer: () => Promise.resolve(claims.pop() ?? null),
      reportMcpServer: (_claim, _executor, report) => {
        reported.resolve(report);
        return Promise.resolve(true);
      },
    },
    blobs,
    executorId,
    list: (each, signal) => listServer(parts, each, signal),
    failed: (error) => failures.push(error),
    ...own,
  });
  await intake.start();
  return await reported.promise;
}

it('the tools of a server are stored and reported, with its credential sent to it', async () => {
  server.tools = [REMOTE_TOOL, { ...REMOTE_TOOL, name: 'twice' }, { ...REMOTE_TOOL, name: 'twice' }];
  const report = await reportOf(claimOf());
  expect(report).toMatchObject({ about: { protocol: '2026-07-28' }, problem: null });
  const listing = JSON.parse(Buffer.from(await blobs.get(tenant_id, report.listing!.sha256)).toString()) as McpListing;
  expect(listing).toEqual({
    v: 1,
    tools: [REMOTE_TOOL],
    skipped: [{ name: 'twice', problem: 'the server lists it twice' }],
  });
  expect(outside.received.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${SECRET}`));
});

it.each<[string, () => ClaimedServer, string]>([
  [
    'that refuses the credential',
    () => {
      server.answers = { 'server/discover': (_message, response) => response.writeHead(401).end() };
      return claimOf();
    },
    'mcp.unreachable',
  ],
  [
    'that breaks the connection',
    () => {
      server.answers = { 'tools/list': (_message, response) => response.destroy() };
      return claimOf();
    },
    'mcp.unreachable',
  ],
  [
    'that repeats its credential',
    () => {
      server.tools = [{ ...REMOTE_TOOL, description: `Send ${SECRET}` }];
      return claimOf();
    },
    'mcp.protocol',
  ],
  [
    'that repeats a credential with quotes within JSON',
    () => {
      const secret = 'key-"0123456789"-secret';
      server.tools = [{ ...REMOTE_TOOL, description: JSON.stringify({ send: secret }) }];
      return { ...claimOf(), secrets: { [`${RESOURCE_SECRET_PREFIX}GITHUB`]: secret } };
    },
    'mcp.protocol',
  ],
  ['whose credential would leave in clear', () => claimOf({ url: 'http://mcp.outside.example/mcp' }), 'egress.refused'],
  ['whose address is none', () => claimOf({ url: 'https://user@mcp.outside.example/' }), 'egress.refused'],
  [
    'that lies within',
    () => {
      outside.addressesOf = () => ['10.0.0.1'];
      return claimOf();
    },
    'egress.refused',
  ],
])('a server %s is reported with its problem', async (_what, claim, code) => {
  const report = await reportOf(claim());
  expect(report).toMatchObject({ listing: null, about: null, problem: { code } });
  expect(JSON.stringify(report)).not.toContain(SECRET);
});

it('a server that an operator lets lie within is reached there', async () => {
  outside.addressesOf = () => ['10.0.0.1'];
  expect(await reportOf(claimOf(), 'mcp.outside.example')).toMatchObject({ problem: null });
});

it.each<[string, Partial<Pick<McpIntakeParts, 'list' | 'blobs'>>, string]>([
  ['a bug', { list: () => Promise.reject(new TypeError('x is no function')) }, 'internal'],
  ['a full pool', { list: () => Promise.reject(new Fault('overloaded', 'too many')) }, 'overloaded'],
  ['a lost store', { blobs: { put: () => Promise.reject(new Error('no store')) } }, 'internal'],
])('%s during a listing is a problem of the server, and operators learn of it', async (_what, own, code) => {
  expect(await reportOf(claimOf(), '', own)).toMatchObject({ listing: null, problem: { code } });
  expect(failures).toHaveLength(1);
});

it('a server that can not be listed here for no reason of its own is left to other executors, once', async () => {
  const claims = [claimOf(), claimOf()];
  const reports: McpReport[] = [];
  let tries = 0;
  intake = new McpIntake({
    kernel: {
      claimMcpServer: () => Promise.resolve(claims.pop() ?? null),
      reportMcpServer: (_claim, _executor, report) => Promise.resolve(reports.push(report) > 0),
    },
    blobs,
    executorId,
    list: () => Promise.reject(new NotListedHere('image.unavailable', `it is try ${String((tries += 1))}`)),
    failed: (error) => failures.push(error),
  });
  await intake.start();
  await vi.waitFor(() => expect(reports).toHaveLength(1));
  expect(tries).toBe(2);
  expect(reports).toMatchObject([{ problem: { code: 'image.unavailable', message: 'it is try 2' } }]);
});

it('a server that keeps the answers to its pings open is reported with its problem', async () => {
  const send = (response: ServerResponse, message: object): void =>
    void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  // A server of 2025-11-25: only that revision lets a server ask its client.
  server.answers = {
    'server/discover': (_message, response) => response.writeHead(400).end(),
    initialize: (message, response) =>
      server.result(message, response, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'pings', version: '1' },
      }),
    'notifications/initialized': (_message, response) => response.writeHead(202).end(),
    'tools/list': ({ id }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let n = 1; n <= 8; n += 1) send(response, { id: `p${n}`, method: 'ping' });
      const sendPage = (): void => send(response, { id, result: { tools: [], nextCursor: 'b' } });
      void vi
        .waitFor(() => expect(server.methods.filter((method) => method === '')).toHaveLength(7), 10_000)
        .then(sendPage, sendPage);
    },
    // The answer to a ping has no method.
    '': () => undefined,
  };
  const report = await reportOf(claimOf());
  expect(report).toMatchObject({
    problem: { code: 'mcp.protocol', message: expect.stringContaining('requests at once') as unknown },
  });
  expect(failures).toEqual([]);
});

it('no beginning of a credential is left where the problem of a tool is cut', async () => {
  const listed = [0, 20, 100, 118, 240].map((n) => ({
    ...REMOTE_TOOL,
    name: `t${n}`,
    annotations: { ['x'.repeat(n) + SECRET]: 1e300 },
  }));
  server.tools = [REMOTE_TOOL, ...listed];
  const report = await reportOf(claimOf());
  const stored = Buffer.from(await blobs.get(tenant_id, report.listing!.sha256)).toString();
  expect(stored).toContain('no canonical form');
  expect(stored).not.toContain(SECRET.slice(0, 5));
});

describe('a server with the rights of persons', () => {
  const settings = { credential: { oauth: { client_id: 'writ', scopes: [] } } };
  const secrets = { [`${RESOURCE_SECRET_PREFIX}person-token`]: SECRET };
  const authorization = { issuer: ISSUER, resource: 'https://mcp.outside.example/mcp' };

  it('that nobody connected to for listing is reported with its authorization server, and nothing is listed', async () => {
    const upstream = new OAuthUpstream(outside);
    const report = await reportOf({ ...claimOf(settings), secrets: {} });
    expect(report).toMatchObject({ listing: null, problem: { code: 'mcp.consent_required' }, authorization });
    expect(upstream.requests).toHaveLength(3);
  });

  it('is listed with the access token that came, and nothing but that server gets it', async () => {
    const listing = outside.answer;
    const upstream = new OAuthUpstream(outside);
    const discovery = outside.answer;
    outside.answer = (request, response, body) =>
      (request.headers.authorization === undefined ? discovery : listing)(request, response, body);
    const report = await reportOf({ ...claimOf(settings), secrets });
    expect(report).toMatchObject({ problem: null, about: { protocol: '2026-07-28' }, authorization });
    expect(upstream.requests).toHaveLength(3);
    const with_ = outside.received.filter(({ headers }) => headers.authorization === `Bearer ${SECRET}`);
    expect(new Set(with_.map(({ host }) => host))).toEqual(new Set(['mcp.outside.example']));
  });

  it('is listed also while its authorization server can not be looked at', async () => {
    const listing = outside.answer;
    outside.answer = (request, response, body) =>
      request.headers.authorization === undefined ? response.writeHead(500).end() : listing(request, response, body);
    const report = await reportOf({ ...claimOf(settings), secrets });
    expect(report).toMatchObject({ problem: null, about: { protocol: '2026-07-28' } });
    expect(report).not.toHaveProperty('authorization');
  });
});
