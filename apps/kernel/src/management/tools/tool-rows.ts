// SPDX-License-Identifier: Apache-2.0
import type { TenantTool } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';

/** Changes of a tenant's tools take turns. To be held before its rules are. */
export async function lockTools(rows: Rows, tenantId: string): Promise<void> {
  await rows.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.tools.' || ${tenantId}, 0))::text`;
}

interface Version {
  readonly tool_id: string;
  readonly version: number;
  readonly definition_digest: string;
  readonly document: TenantTool;
}

/** Keeps a version of a tool; one that comes back is there already. */
export async function storeVersion(
  rows: Rows,
  tenantId: string,
  by: string,
  { tool_id, version, definition_digest, document }: Version,
): Promise<void> {
  await rows.tool_version.createMany({
    data: [
      { tenant_id: tenantId, tool_id, version, definition_digest, document: structuredClone(document), created_by: by },
    ],
    skipDuplicates: true,
  });
}

interface InForce {
  readonly tool_id: string;
  readonly category: string;
  readonly version: number;
  /** null: none is in force any more */
  readonly definition_digest: string | null;
  readonly updated_by: string;
}

/** Puts a version in force. To be called under the tenant's rules, which every decision holds. */
export async function putInForce(
  rows: Rows,
  tenantId: string,
  { tool_id, category, version, definition_digest, updated_by }: InForce,
): Promise<void> {
  await callIn(rows, kernelSql.putTool, {
    tenant: tenantId,
    p: { tool_id, category, version, definition_digest, updated_by },
  });
}
