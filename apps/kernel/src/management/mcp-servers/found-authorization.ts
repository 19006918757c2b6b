// SPDX-License-Identifier: Apache-2.0
import type { McpAuthorization, McpProblem, McpReportRequest } from '@writ/contract';
import type { Rows } from '../../foundation/tenancy/index.ts';
import type { Prisma } from '../../generated/prisma/client.ts';

/**
 * What is written of an attempt, with what the executor found out about the authorization server. INVARIANT (the first
 * one stays): a server whose authorization server became another one keeps the first, with a problem, until an
 * administrator changes its settings. So a server that was taken over sends nobody to sign in elsewhere.
 */
export async function withAuthorization<T extends { readonly problem: McpProblem | null }>(
  rows: Rows,
  { tenant_id, resource_id }: Pick<McpReportRequest, 'tenant_id' | 'resource_id'>,
  data: T,
  found: McpAuthorization | undefined,
): Promise<T & { readonly oauth?: Prisma.InputJsonObject }> {
  if (found === undefined) return data;
  // A browser goes there.
  if (!found.authorization_endpoint.startsWith('https://')) return { ...data, problem: data.problem ?? NOT_PRIVATE };
  const known = await rows.mcp_server.findFirst({ where: { tenant_id, resource_id }, select: { oauth: true } });
  const before = known?.oauth as McpAuthorization | null | undefined;
  if (before !== null && before !== undefined && before.issuer !== found.issuer)
    return { ...data, problem: otherIssuer(before.issuer) };
  return { ...data, oauth: { ...found } as Prisma.InputJsonObject };
}

const NOT_PRIVATE: McpProblem = {
  code: 'mcp.authorization_unusable',
  message: 'the authorization server has no address for persons that begins with `https://`',
};

const otherIssuer = (before: string): McpProblem => ({
  code: 'mcp.authorization_unusable',
  message: `the server names another authorization server than \`${before}\` by now: to accept that, name it in the settings`,
});
