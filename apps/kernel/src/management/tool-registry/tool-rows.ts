// SPDX-License-Identifier: Apache-2.0
import type { TenantTool } from '@writ/contract';
import type { Prisma } from '../../generated/prisma/client.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, type Rows } from '../../foundation/tenancy/index.ts';

/** Serializes changes of a tenant's tools. Callers MUST take this lock before the lock on the tenant's rules. */
export async function lockTools(rows: Rows, tenantId: string): Promise<void> {
  await rows.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.tools.' || ${tenantId}, 0))::text`;
}

interface Version {
  readonly tool_id: string;
  readonly version: number;
  readonly definition_digest: string;
  readonly document: TenantTool;
}

/** A document is JSON, whatever schemas it holds. */
const jsonOf = (document: TenantTool): Prisma.InputJsonObject =>
  structuredClone(document) as unknown as Prisma.InputJsonObject;

/** Stores a version of a tool, unless it is stored already. */
export async function storeVersion(
  rows: Rows,
  tenantId: string,
  by: string,
  { tool_id, version, definition_digest, document }: Version,
): Promise<void> {
  await rows.tool_version.createMany({
    data: [{ tenant_id: tenantId, tool_id, version, definition_digest, document: jsonOf(document), created_by: by }],
    skipDuplicates: true,
  });
}

interface ActiveVersion {
  readonly tool_id: string;
  readonly category: string;
  readonly version: number;
  /** null: no version is active */
  readonly definition_digest: string | null;
  readonly updated_by: string;
}

/** Activates a version. Callers MUST hold the exclusive lock on the tenant's rules, which every decision shares. */
export async function activateVersion(
  rows: Rows,
  tenantId: string,
  { tool_id, category, version, definition_digest, updated_by }: ActiveVersion,
): Promise<void> {
  await callIn(rows, kernelSql.putTool, {
    tenant: tenantId,
    p: { tool_id, category, version, definition_digest, updated_by },
  });
}
