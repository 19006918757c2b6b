// SPDX-License-Identifier: Apache-2.0
//
// Tools are Writ's own, or a tenant's from the database. INVARIANT (what the digest is of): a stored definition that
// doesn't give its digest any more, since what is stored means something else by now, is as one that isn't there.
import { tenantDefinition } from '@writ/cli-tool';
import { definitionForDigest, parseMessage, TenantTool, TOOLS, type ToolDefinition } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { inTenant } from '@writ/database';
import { LRUCache } from 'lru-cache';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { StoredTool } from '../../foundation/database/functions/tools.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** Cached definitions, by what they say: some KB each. */
const READY_MAX = 2_000;
const ready = new LRUCache<string, ToolDefinition>({ max: READY_MAX });

/** A tenant's tool as it was decided on. */
export interface DecidedTool {
  readonly definition: ToolDefinition;
  readonly document: TenantTool;
  /** whether a call that is decided now would be decided on it too */
  readonly inForce: boolean;
}

/** What of an operation names its tool. */
interface NamesTool {
  readonly tenant_id: string;
  readonly tool_id: string;
  readonly tool_definition_digest: string | null;
}

/** Hex SHA-256 of what the definition means. */
export const definitionDigest = (tool: ToolDefinition): string => sha256Hex(canonicalBytes(definitionForDigest(tool)));

/** The tenant's tool of that name; null where there is none, and for names of Writ's own, which need no reading. */
export async function readToolInForce(
  tenants: TenantPool,
  tenantId: string,
  toolId: string,
): Promise<ToolDefinition | null> {
  // No tool's name has a NUL, and the database takes none in a question.
  if (TOOLS.has(toolId) || toolId.includes('\0')) return null;
  const stored = await kernelSql.toolInForce(tenants.pool, { tenant: tenantId, tool: toolId });
  return stored === null ? null : readyOf(stored);
}

/** The tool as the operation was decided on it, whatever is in force by now; null where it is known no more. */
export async function readToolOf(tenants: TenantPool, operation: NamesTool): Promise<ToolDefinition | null> {
  const known = TOOLS.get(operation.tool_id) ?? ready.get(operation.tool_definition_digest ?? '');
  // What the digest is of is named by it, so a definition that was made for one tenant is the same for another.
  if (known?.tool_id === operation.tool_id) return known;
  return (await readDecidedTool(tenants, operation))?.definition ?? null;
}

/** The tenant's tool as the operation was decided on it, read now; null for Writ's own. */
export async function readDecidedTool(
  tenants: TenantPool,
  { tenant_id, tool_id, tool_definition_digest }: NamesTool,
): Promise<DecidedTool | null> {
  if (TOOLS.has(tool_id) || tool_definition_digest === null) return null;
  const stored = await kernelSql.toolDecided(tenants.pool, { tenant: tenant_id, digest: tool_definition_digest });
  const definition = stored === null ? null : readyOf(stored);
  return stored === null || definition?.tool_id !== tool_id
    ? null
    : { definition, document: parseMessage(TenantTool, stored.document), inForce: stored.in_force };
}

/**
 * What policies are checked against: Writ's own tools and the tenant's. Names that were removed stay, so that a policy
 * that speaks of one can still be read.
 */
export async function readToolNames(
  tenants: TenantPool,
  tenantId: string,
): Promise<Pick<ToolDefinition, 'tool_id' | 'category'>[]> {
  const { rows } = await inTenant(
    tenants.pool,
    tenantId,
    async (client) =>
      await client.query<Pick<ToolDefinition, 'tool_id' | 'category'>>(
        'SELECT tool_id, category FROM kernel.tool ORDER BY tool_id',
      ),
    { readOnly: true },
  );
  return [...TOOLS.values(), ...rows];
}

function readyOf({ document, definition_digest }: StoredTool): ToolDefinition | null {
  const known = ready.get(definition_digest);
  if (known !== undefined) return known;
  const definition = tenantDefinition(parseMessage(TenantTool, document));
  if (definitionDigest(definition) !== definition_digest) return null;
  ready.set(definition_digest, definition);
  return definition;
}
