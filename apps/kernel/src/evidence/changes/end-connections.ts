// SPDX-License-Identifier: Apache-2.0
import type { McpProblem } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';
import { contentDigest, type ChangeRecord } from './changes.ts';

/** States of a connection that is over. */
const OVER = ['failed', 'ended'];

/** The connections that end, who ends them, and why. */
export interface ConnectionEnd {
  readonly tenant_id: string;
  readonly by: string;
  /** null: the person or an administrator ended it, or a new connection replaces it */
  readonly problem: McpProblem | null;
}

/**
 * Ends connections within the transaction of `rows`, and returns a record for each. From COMMIT on no call gets a token
 * of theirs, and the work that an executor does for them is fenced.
 */
export async function endConnections(
  rows: Rows,
  connections: readonly string[],
  { tenant_id, by, problem }: ConnectionEnd,
): Promise<ChangeRecord[]> {
  if (connections.length === 0) return [];
  const args = { tenant: tenant_id, connections, problem };
  const ended = await callIn(rows, kernelSql.endMcpConnections, args);
  return ended.map(({ end_mcp_connections }) => connectionEnded(by, end_mcp_connections));
}

/** The record of the end of a connection. */
export const connectionEnded = (actor: string, connectionId: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb: 'mcp_connection_ended', subject: connectionId, digest: null },
});

/**
 * Ends all connections of the person of a credential, since it is revoked. The credential is no person's afterwards.
 * Callers MUST hold the tenant's rules exclusively, so that no consent of the person begins meanwhile.
 */
export async function endConnectionsOfCredential(
  rows: Rows,
  { tenant_id, api_key_id }: { readonly tenant_id: string; readonly api_key_id: string },
  by: string,
): Promise<ChangeRecord[]> {
  const credential = await rows.credential_subject.findFirst({ where: { tenant_id, api_key_id } });
  if (credential === null) return [];
  await rows.credential_subject.deleteMany({ where: { tenant_id, api_key_id } });
  const { subject_hash } = credential;
  const problem: McpProblem = { code: 'key.revoked', message: 'a credential of the person was revoked' };
  const open = await openConnections(rows, { tenant_id, subject_hash });
  return await endConnections(rows, open, { tenant_id, by, problem });
}

/**
 * Ends all connections to a server, since it was removed or is another by now. Everybody who uses it may have one, so
 * they have one record, whose digest covers their ids.
 */
export async function endConnectionsOfServer(
  rows: Rows,
  { tenant_id, resource_id, name }: { readonly tenant_id: string; readonly resource_id: string; readonly name: string },
  by: string,
): Promise<ChangeRecord[]> {
  const problem: McpProblem = { code: 'mcp.consent_required', message: 'the server was removed, or is another by now' };
  const open = await openConnections(rows, { tenant_id, resource_id });
  const ended = await endConnections(rows, open, { tenant_id, by, problem });
  if (ended.length === 0) return [];
  const digest = contentDigest(open);
  return [
    { kind: 'change', actor: by, change: { verb: 'mcp_connections_ended', subject: `mcp_server:${name}`, digest } },
  ];
}

/** Ends all connections of a tenant, since it is closed. They have one record, whose digest covers their ids. */
export async function endConnectionsOfTenant(rows: Rows, tenant_id: string, by: string): Promise<ChangeRecord[]> {
  const problem: McpProblem = { code: 'mcp.consent_required', message: 'the tenant is closed' };
  const open = await openConnections(rows, { tenant_id });
  const ended = await endConnections(rows, open, { tenant_id, by, problem });
  if (ended.length === 0) return [];
  const change = { verb: 'mcp_connections_ended', subject: tenant_id, digest: contentDigest(open) };
  return [{ kind: 'change', actor: by, change }];
}

/**
 * Ends all connections of all subjects of a person who is forgotten, by the person's pseudonym. Their rows say no more
 * whose they were once nothing is left to revoke. Callers MUST hold the tenant's rules exclusively.
 */
export async function endConnectionsOfPerson(
  rows: Rows,
  { tenant_id, person }: { readonly tenant_id: string; readonly person: string },
  by: string,
): Promise<ChangeRecord[]> {
  const where = { tenant_id, person };
  const known = await rows.mcp_connection.findMany({
    where,
    select: { subject_hash: true },
    distinct: ['subject_hash'],
  });
  if (known.length === 0) return [];
  const subject_hash = { in: known.map(({ subject_hash: hash }) => hash) };
  const problem: McpProblem = { code: 'mcp.consent_required', message: 'the person was forgotten' };
  const open = await openConnections(rows, { tenant_id, subject_hash });
  const records = await endConnections(rows, open, { tenant_id, by, problem });
  await rows.credential_subject.deleteMany({ where: { tenant_id, subject_hash } });
  await rows.mcp_connection.updateMany({ where: { tenant_id, subject_hash }, data: { forgotten: true } });
  await callIn(rows, kernelSql.forgetMcpPersons, { tenant: tenant_id });
  return records;
}

async function openConnections(
  rows: Rows,
  of: { readonly tenant_id: string } & (
    | { readonly subject_hash: Uint8Array<ArrayBuffer> | { readonly in: Uint8Array<ArrayBuffer>[] } }
    | { readonly resource_id: string }
    | object
  ),
): Promise<readonly string[]> {
  const found = await rows.mcp_connection.findMany({
    where: { ...of, state: { notIn: OVER } },
    select: { connection_id: true },
    orderBy: { connection_id: 'asc' },
  });
  return found.map(({ connection_id }) => connection_id);
}
