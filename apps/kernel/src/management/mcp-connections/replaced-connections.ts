// SPDX-License-Identifier: Apache-2.0
import { endConnections, type ChangeRecord } from '../../evidence/changes/index.ts';
import type { Rows } from '../../foundation/tenancy/index.ts';
import { stepRecord, type ConnectionRow } from './connection-row.ts';

/**
 * Ends the person's connection of before, and takes over its listing, or that of another administrator. Returns the
 * records: each connection that ends, and each whose rights list no more.
 */
export async function replaceOthers(
  rows: Rows,
  { tenant_id, resource_id, subject_hash, lists }: ConnectionRow,
  by: string,
): Promise<{ readonly records: readonly ChangeRecord[]; readonly lists: boolean }> {
  const others = await rows.mcp_connection.findMany({
    where: { tenant_id, resource_id, subject_hash, state: 'connected' },
    select: { connection_id: true, lists: true },
  });
  const ids = others.map(({ connection_id }) => connection_id);
  const records = await endConnections(rows, ids, { tenant_id, by, problem: null });
  const isLister = lists || others.some((other) => other.lists);
  if (!isLister) return { records, lists: false };
  // One connection lists the tools of a server.
  const where = { tenant_id, resource_id, state: 'connected', lists: true };
  const former = await rows.mcp_connection.findMany({ where });
  await rows.mcp_connection.updateMany({ where, data: { lists: false } });
  const left = former.map((row) => stepRecord('lists_no_more', by, { ...row, lists: false }));
  return { records: [...records, ...left], lists: true };
}

/** The tools of a server are listed anew, with the rights of another connection. */
export async function listAgain(
  rows: Rows,
  { tenant_id, resource_id }: Pick<ConnectionRow, 'tenant_id' | 'resource_id'>,
  now: number,
): Promise<void> {
  await rows.mcp_server.updateMany({ where: { tenant_id, resource_id }, data: { due_at: BigInt(now) } });
}
