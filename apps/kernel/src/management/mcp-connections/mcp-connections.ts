// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import {
  Fault,
  MCP_CONNECTION_LIMITS,
  oauthOf,
  type Caller,
  type KernelRequest,
  type McpAuthorization,
  type McpConnectionAsked,
  type McpConnectionView,
  type McpProblem,
  type McpHttpSettings,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { ListPage } from '@writ/paging';
import { endConnections, linkCredentials, type Changed, type Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import {
  agentFilterOf,
  newestFirst,
  requireFound,
  requireId,
  requireRole,
  rowsAfter,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { usableBy } from '../resources/usable-by.ts';
import { clientOf, connectionView, bytesOf, isOwnPlace, isSameHash, secretHash, stepRecord } from './connection-row.ts';
import type { ConnectionClient, ConnectionRow } from './connection-row.ts';
import { serverNamed } from '../mcp-servers/index.ts';

const HANDLE_BYTES = 32;
const UNDER_WAY = ['asked', 'confirmed', 'exchanging'];

/**
 * Connections of persons to MCP servers, as callers of the API see them. INVARIANT (one's own): only an OAuth
 * credential of a person asks for a connection of that person, and others see it as administrators alone.
 */
export class McpConnections {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * Makes a link to consent. Nothing but a hash of the handle is stored.
   * @throws Fault `auth.role`, `auth.invalid`, `not_found`; `conflict` for a server without rights of persons, or too
   * many consents under way; `mcp.authorization_unusable`, and `overloaded` where nobody looked yet
   */
  async ask(request: KernelRequest<'mcp_connection.ask'>): Promise<McpConnectionAsked> {
    const { caller, server: name, lists = false, subject_hash, credentials } = request;
    if (lists) requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    const handle = randomBytes(HANDLE_BYTES).toString('base64url');
    const connection_id = newId('connection');
    return await this.#changes.make(tenant_id, async (rows, now): Promise<Changed<McpConnectionAsked>> => {
      await linkCredentials(rows, { tenant_id, subject_hash, credentials: [...new Set([api_key_id, ...credentials])] });
      const subject = bytesOf(subject_hash);
      if (!isSameHash(await subjectOf(rows, caller), subject_hash))
        throw new Fault('auth.invalid', 'the credential was revoked');
      const server = await usableServer(rows, caller, name);
      const client = await readClient(rows, server);
      await requireFewUnderWay(rows, { tenant_id, subject }, now);
      const expires_at = now + MCP_CONNECTION_LIMITS.consentMs;
      await rows.mcp_connection.createMany({
        data: [
          {
            connection_id,
            tenant_id,
            resource_id: server.resource_id,
            subject_hash: subject,
            api_key_id,
            person: caller.person ?? null,
            lists,
            client: { ...client } as Prisma.InputJsonObject,
            scopes: [...(oauthOf(server.settings as unknown as McpHttpSettings)?.scopes ?? [])],
            handle_hash: secretHash(handle),
            expires_at: BigInt(expires_at),
          },
        ],
      });
      const row = requireFound(await rows.mcp_connection.findFirst({ where: { tenant_id, connection_id } }));
      return { value: { connection_id, handle, expires_at }, records: [stepRecord('asked', api_key_id, row)] };
    });
  }

  /** The caller's own, or any for an administrator. @throws Fault `not_found` */
  async read({ caller, connection_id }: KernelRequest<'mcp_connection.read'>): Promise<McpConnectionView> {
    requireId('connection', connection_id);
    return await this.#tenancy.within(caller.tenant_id, async (rows) => {
      const { row, own } = await visibleConnection(rows, caller, connection_id);
      return await viewOf(rows, row, own);
    });
  }

  /** Newest first: the caller's own, or all for an administrator. @throws Fault `not_found`, `request.malformed` */
  async list(request: KernelRequest<'mcp_connection.list'>): Promise<ListPage<McpConnectionView>> {
    const { caller, page, server } = request;
    const { tenant_id } = caller;
    const views = await this.#tenancy.within(tenant_id, async (rows) => {
      const subject = await subjectOf(rows, caller);
      const at = server === null ? {} : { resource_id: (await usableServer(rows, caller, server)).resource_id };
      if (subject === null && caller.role !== 'admin') return [];
      const own = caller.role === 'admin' || subject === null ? {} : { subject_hash: new Uint8Array(subject) };
      const found = await rows.mcp_connection.findMany({
        where: { AND: [rowsAfter(parseCursor(page.cursor), 'connection_id')], tenant_id, ...at, ...own },
        orderBy: newestFirst('connection_id'),
        take: page.limit + 1,
      });
      const names = await namesOf(rows, found);
      return found.map((row) => connectionView(row, names.get(row.resource_id) ?? '', isOf(row, subject)));
    });
    return fittedPage(views, page.limit, ({ created_at, connection_id: id }) => ({ created_at, id }));
  }

  /**
   * Ends a connection, in whatever state: the caller's own, or any for an administrator. Its tokens are revoked at the
   * authorization server afterwards.
   * @throws Fault `not_found`
   */
  async end({ caller, connection_id }: KernelRequest<'mcp_connection.end'>): Promise<McpConnectionView> {
    requireId('connection', connection_id);
    const { tenant_id, api_key_id: by } = caller;
    return await this.#changes.make(tenant_id, async (rows): Promise<Changed<McpConnectionView>> => {
      const { own } = await visibleConnection(rows, caller, connection_id);
      const records = await endConnections(rows, [connection_id], { tenant_id, by, problem: null });
      const row = requireFound(await rows.mcp_connection.findFirst({ where: { tenant_id, connection_id } }));
      return { value: await viewOf(rows, row, own), records };
    });
  }
}

interface ServerRow {
  readonly tenant_id: string;
  readonly resource_id: string;
  readonly name: string;
  readonly settings: unknown;
}

/** The server of that name, if the caller may know of it. @throws Fault `not_found` */
async function usableServer(rows: Rows, caller: Caller, name: string): Promise<ServerRow> {
  const { tenant_id } = caller;
  const { agent_id } = agentFilterOf(caller);
  const usable = agent_id === undefined ? {} : await usableBy(rows, tenant_id, agent_id);
  const where = serverNamed(tenant_id, name);
  return requireFound(await rows.resource.findFirst({ where: { AND: [where, usable] } }));
}

/** @throws Fault `conflict`, `mcp.authorization_unusable`, `overloaded` */
async function readClient(
  rows: Rows,
  { tenant_id, resource_id, name, settings }: ServerRow,
): Promise<ConnectionClient> {
  const server = settings as McpHttpSettings;
  if (oauthOf(server) === null)
    throw new Fault('conflict', `the MCP server \`${name}\` takes no rights of persons: nobody connects to it`);
  const known = await rows.mcp_server.findFirst({ where: { tenant_id, resource_id } });
  const found = known?.oauth as McpAuthorization | null | undefined;
  if (found !== null && found !== undefined && !isOwnPlace(server, found))
    throw new Fault(
      'mcp.authorization_unusable',
      `the authorization server of \`${name}\` sends persons to another host: name it in the settings`,
    );
  const client = found === null || found === undefined ? null : clientOf(server, found);
  if (client !== null) return client;
  const problem = known?.problem as McpProblem | null | undefined;
  if (problem === null || problem === undefined)
    throw new Fault('overloaded', `nobody looked for the authorization server of \`${name}\` yet: try again soon`);
  throw new Fault('mcp.authorization_unusable', `the authorization server of \`${name}\`: ${problem.message}`);
}

/** @throws Fault `conflict` */
async function requireFewUnderWay(
  rows: Rows,
  { tenant_id, subject }: { readonly tenant_id: string; readonly subject: Uint8Array<ArrayBuffer> },
  now: number,
): Promise<void> {
  const { underWay } = MCP_CONNECTION_LIMITS;
  const count = await rows.mcp_connection.count({
    where: { tenant_id, subject_hash: subject, state: { in: UNDER_WAY }, expires_at: { gt: BigInt(now) } },
  });
  if (count >= underWay)
    throw new Fault('conflict', `a person has at most ${String(underWay)} consents under way: use one, or end it`);
}

/** The person whose credential the caller's key is; null: no person's. */
async function subjectOf(rows: Rows, { tenant_id, api_key_id }: Caller): Promise<Uint8Array | null> {
  return (await rows.credential_subject.findFirst({ where: { tenant_id, api_key_id } }))?.subject_hash ?? null;
}

const isOf = ({ subject_hash }: ConnectionRow, subject: Uint8Array | null): boolean =>
  subject !== null && Buffer.from(subject_hash).equals(Buffer.from(subject));

/** The connection, if the caller may see it, and whether it is their own. @throws Fault `not_found` */
async function visibleConnection(
  rows: Rows,
  caller: Caller,
  connection_id: string,
): Promise<{ readonly row: ConnectionRow; readonly own: boolean }> {
  const { tenant_id, role } = caller;
  const row = requireFound(await rows.mcp_connection.findFirst({ where: { tenant_id, connection_id } }));
  const own = isOf(row, await subjectOf(rows, caller));
  if (!own && role !== 'admin') throw new Fault('not_found');
  return { row, own };
}

async function viewOf(rows: Rows, row: ConnectionRow, own: boolean): Promise<McpConnectionView> {
  return connectionView(row, (await namesOf(rows, [row])).get(row.resource_id) ?? '', own);
}

/** The names of servers, also of removed ones. */
export async function namesOf(
  rows: Rows,
  connections: readonly Pick<ConnectionRow, 'tenant_id' | 'resource_id'>[],
): Promise<ReadonlyMap<string, string>> {
  const [first] = connections;
  if (first === undefined) return new Map();
  const ids = [...new Set(connections.map(({ resource_id }) => resource_id))];
  const found = await rows.resource.findMany({
    where: { tenant_id: first.tenant_id, resource_id: { in: ids } },
    select: { resource_id: true, name: true },
  });
  return new Map(found.map(({ resource_id, name }) => [resource_id, name]));
}
