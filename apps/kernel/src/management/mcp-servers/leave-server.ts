// SPDX-License-Identifier: Apache-2.0
import { isMcpStdio, oauthOf, type AnyMcpServerSettings, type McpHttpSettings } from '@writ/contract';
import { contentDigest, endConnectionsOfServer, type ChangeRecord } from '../../evidence/changes/index.ts';
import type { Rows } from '../../foundation/tenancy/index.ts';
import { Prisma } from '../../generated/prisma/client.ts';

interface ServerBefore {
  readonly tenant_id: string;
  readonly resource_id: string;
  readonly name: string;
  readonly settings: unknown;
}

/**
 * Ends the connections to a server that is removed, or that is at another address or another client from now on: what
 * persons consented to was the former. Returns the records. INVARIANT (what was consented to): a token goes to no other
 * server than the one that its person saw.
 * @param after null: it is removed
 */
export async function leaveServer(
  rows: Rows,
  { tenant_id, resource_id, name, settings }: ServerBefore,
  after: unknown,
  by: string,
): Promise<ChangeRecord[]> {
  const former = settings as AnyMcpServerSettings;
  if (after !== null && isSameClient(former, after as AnyMcpServerSettings)) return [];
  // A new look at the authorization server decides.
  await rows.mcp_server.updateMany({ where: { tenant_id, resource_id }, data: { oauth: Prisma.DbNull } });
  return await endConnectionsOfServer(rows, { tenant_id, resource_id, name }, by);
}

/** No person consents to a program: one that changes has nothing to end. */
const isSameClient = (one: AnyMcpServerSettings, other: AnyMcpServerSettings): boolean =>
  isMcpStdio(one) || isMcpStdio(other)
    ? isMcpStdio(one) && isMcpStdio(other)
    : clientDigest(one) === clientDigest(other);
const clientDigest = (settings: McpHttpSettings): string =>
  contentDigest({ url: settings.url, oauth: oauthOf(settings) });
