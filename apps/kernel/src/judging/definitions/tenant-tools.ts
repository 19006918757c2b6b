// SPDX-License-Identifier: Apache-2.0
//
// Tools are Writ's own, or a tenant's from the database. INVARIANT (what the digest is of): a stored definition that
// doesn't have its digest any more, since its document has another meaning by now, counts as absent.
import { tenantDefinition } from '@writ/cli-tool';
import {
  definitionForDigest,
  parseMessage,
  redactableResult,
  TenantTool,
  TOOLS,
  type ToolDefinition,
} from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { inTenant } from '@writ/database';
import { argumentsType, type PolicyTool } from '@writ/policy';
import { inSlices } from '@writ/worker-pool';
import { LRUCache } from 'lru-cache';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { StoredTool } from '../../foundation/database/functions/tools.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** Cached definitions, by digest: some KB each. */
const READY_MAX = 2_000;
const readyTools = new LRUCache<string, ToolDefinition>({ max: READY_MAX });

/** A tenant's tool as it was decided on. */
export interface DecidedTool {
  readonly definition: ToolDefinition;
  readonly document: TenantTool;
  /** whether a call that is decided now would be decided on it too */
  readonly inForce: boolean;
}

/** The columns of an operation that name its tool. */
interface ToolReference {
  readonly tenant_id: string;
  readonly tool_id: string;
  readonly tool_definition_digest: string | null;
}

/** Hex SHA-256 of the definition's meaning. */
export const definitionDigest = (tool: ToolDefinition): string => sha256Hex(canonicalBytes(definitionForDigest(tool)));

/**
 * The tenant's tool of that name; null where there is none, and for names of Writ's own tools, which need no reading.
 */
export async function readToolInForce(
  tenants: TenantPool,
  tenantId: string,
  toolId: string,
): Promise<ToolDefinition | null> {
  // No tool's name has a NUL, and the database refuses a parameter that has one.
  if (TOOLS.has(toolId) || toolId.includes('\0')) return null;
  const stored = await kernelSql.toolInForce(tenants.pool, { tenant: tenantId, tool: toolId });
  return stored === null ? null : readyOf(stored);
}

/** The tool as the operation was decided on it, whatever is in force by now; null where it can't be found any more. */
export async function readToolOf(tenants: TenantPool, operation: ToolReference): Promise<ToolDefinition | null> {
  const cached = TOOLS.get(operation.tool_id) ?? readyTools.get(operation.tool_definition_digest ?? '');
  // The digest determines the definition, so one that was made for a tenant is the same for another.
  if (cached?.tool_id === operation.tool_id) return cached;
  return (await readDecidedTool(tenants, operation))?.definition ?? null;
}

/** The tenant's tool as the operation was decided on it, read now; null for Writ's own. */
export async function readDecidedTool(
  tenants: TenantPool,
  { tenant_id, tool_id, tool_definition_digest }: ToolReference,
): Promise<DecidedTool | null> {
  if (TOOLS.has(tool_id) || tool_definition_digest === null) return null;
  const stored = await kernelSql.toolDecided(tenants.pool, { tenant: tenant_id, digest: tool_definition_digest });
  const definition = stored === null ? null : readyOf(stored);
  return stored === null || definition?.tool_id !== tool_id
    ? null
    : { definition, document: parseMessage(TenantTool, stored.document), inForce: stored.in_force };
}

interface ToolRow extends Pick<ToolDefinition, 'tool_id' | 'category'> {
  readonly definition: StoredTool | null;
}

/**
 * Removed names of a tenant whose last definitions are read, those that were removed last. Names are never deleted, so
 * that an administrator could make more of them than a process can hold.
 */
const REMOVED_READ_MAX = 256;

/** All tools, with the definition in force, or with the last one of a name that was removed lately. */
const NEWEST_DEFINITIONS = `SELECT t.tool_id, t.category,
    CASE WHEN v.tool_id IS NULL THEN NULL
      ELSE jsonb_build_object('document', v.document, 'definition_digest', v.definition_digest) END AS definition
  FROM (SELECT *, row_number() OVER (PARTITION BY definition_digest IS NULL ORDER BY updated_at DESC, tool_id) AS place
    FROM kernel.tool) t
  LEFT JOIN kernel.tool_version v
    ON (t.definition_digest IS NOT NULL OR t.place <= ${REMOVED_READ_MAX})
      AND v.tenant_id = t.tenant_id AND v.tool_id = t.tool_id AND v.version = t.version
  ORDER BY t.tool_id`;

/**
 * The tools that policies are checked against, with the types of their arguments: Writ's own and the tenant's. Names
 * that were removed stay, so that a policy that names one can still be read; of a name that was removed long ago, no
 * argument is known.
 */
export async function readPolicyTools(tenants: TenantPool, tenantId: string): Promise<PolicyTool[]> {
  const { rows } = await inTenant(
    tenants.pool,
    tenantId,
    async (client) => await client.query<ToolRow>(NEWEST_DEFINITIONS),
    { readOnly: true },
  );
  const tools = [...TOOLS.values()].map(({ tool_id, category, parameters }): PolicyTool => ({
    tool_id,
    category,
    args: argumentsType(parameters),
    redactable: null,
  }));
  // A tenant may have many, and each is read by its schema.
  for await (const row of inSlices(rows)) {
    const definition = row.definition === null ? null : readyOf(row.definition);
    const args = definition === null ? null : argumentsType(definition.parameters);
    const redactable = definition === null ? {} : { redactable: redactableResult(definition) };
    tools.push({ tool_id: row.tool_id, category: row.category, args, ...redactable });
  }
  return tools;
}

function readyOf({ document, definition_digest }: StoredTool): ToolDefinition | null {
  const cached = readyTools.get(definition_digest);
  if (cached !== undefined) return cached;
  const definition = tenantDefinition(parseMessage(TenantTool, document));
  if (definitionDigest(definition) !== definition_digest) return null;
  readyTools.set(definition_digest, definition);
  return definition;
}
