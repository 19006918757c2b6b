// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import {
  isAtIssuer,
  oauthOf,
  type McpAuthorization,
  type McpConnectionView,
  type McpProblem,
  type McpHttpSettings,
} from '@writ/contract';
import { contentDigest, type ChangeRecord } from '../../evidence/changes/index.ts';
import type { Rows } from '../../foundation/tenancy/index.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { storedProblem } from '../mcp-servers/index.ts';

export type ConnectionRow = NonNullable<Awaited<ReturnType<Rows['mcp_connection']['findFirst']>>>;

/**
 * The client at its authorization server, as it was when the consent was asked for. INVARIANT (who issued it): codes,
 * tokens and the client's secret of a connection go to this issuer alone, whatever the server names later.
 */
export interface ConnectionClient {
  readonly client_id: string;
  /** the name of the tenant's secret that authenticates it; null: a public client */
  readonly client_secret: string | null;
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly resource: string;
  readonly names_issuer: boolean;
}

/**
 * Whether a browser may be sent there: to the issuer's own host, or where the issuer is one that an administrator named
 * or that names itself in each answer (RFC 9207). INVARIANT (no mix-up): else whoever answers there isn't told apart
 * from the issuer, to whom the code goes.
 */
export const isOwnPlace = (settings: McpHttpSettings, found: McpAuthorization): boolean =>
  found.names_issuer ||
  oauthOf(settings)?.authorization_server !== undefined ||
  isAtIssuer(found.authorization_endpoint, found.issuer);

/** Null where the server takes no rights of persons. */
export function clientOf(settings: McpHttpSettings, found: McpAuthorization): ConnectionClient | null {
  const oauth = oauthOf(settings);
  return oauth === null ? null : { client_id: oauth.client_id, client_secret: oauth.client_secret ?? null, ...found };
}

export const clientIn = ({ client }: Pick<ConnectionRow, 'client'>): ConnectionClient =>
  client as unknown as ConnectionClient;
export const scopesIn = ({ scopes }: Pick<ConnectionRow, 'scopes'>): readonly string[] =>
  scopes as unknown as readonly string[];
export const problemIn = ({ problem }: Pick<ConnectionRow, 'problem'>): McpProblem | null =>
  problem as McpProblem | null;
export const stateIn = ({ state }: Pick<ConnectionRow, 'state'>): McpConnectionView['state'] =>
  state as McpConnectionView['state'];

/** Of a handle or a state: 256 random bits, which a hash without a key doesn't give away. */
export const secretHash = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(text, 'utf8').digest());

export const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(hex, 'hex'));
export const isSameHash = (stored: Uint8Array | null, hex: string): boolean =>
  stored !== null && Buffer.from(stored).equals(Buffer.from(hex, 'hex'));

/** What a row has of a problem. */
export const problemColumn = (problem: McpProblem | null) =>
  problem === null ? Prisma.DbNull : (storedProblem(problem) as Prisma.InputJsonObject);

const toNumber = (at: bigint | null): number | null => (at === null ? null : Number(at));

/** What its readers see. @param server its name */
export function connectionView(row: ConnectionRow, server: string, own: boolean): McpConnectionView {
  const state = stateIn(row);
  return {
    connection_id: row.connection_id,
    server,
    state,
    own,
    person: row.person,
    lists: row.lists,
    scopes: [...scopesIn(row)],
    issuer: clientIn(row).issuer,
    problem: problemIn(row),
    created_at: Number(row.created_at),
    expires_at: state === 'asked' || state === 'confirmed' ? Number(row.expires_at) : null,
    connected_at: toNumber(row.connected_at),
    used_at: toNumber(row.used_at),
    ended_at: toNumber(row.ended_at),
  };
}

/** The record of a step of a connection. It names no person, and its digest covers what the person consents to. */
export function stepRecord(verb: string, actor: string, row: ConnectionRow): ChangeRecord {
  const { connection_id, resource_id, lists } = row;
  const { client_id, issuer, resource } = clientIn(row);
  const digest = contentDigest({ resource_id, lists, client_id, issuer, resource, scopes: scopesIn(row) });
  return { kind: 'change', actor, change: { verb: `mcp_connection_${verb}`, subject: connection_id, digest } };
}
