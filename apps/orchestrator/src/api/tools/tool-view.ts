// SPDX-License-Identifier: Apache-2.0
import { tenantDefinition } from '@writ/cli-tool';
import { definitionForDigest, isDeclaredTool, type TenantToolView, type ToolDefinition } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { ToolView } from './views.ts';

/** The view of one of Writ's own tools. */
export function viewOf(tool: ToolDefinition): ToolView {
  const definition = definitionForDigest(tool);
  const { tool_id, version, description, category, mutating, limits } = tool;
  return {
    tool_id,
    version,
    description,
    category,
    class: tool.class,
    mutating,
    limits: { ...limits },
    parameters: definition['parameters'] as Record<string, unknown>,
    result: definition['result'] as Record<string, unknown>,
    definition_digest: sha256Hex(canonicalBytes(definition as never)),
  };
}

/**
 * The view of a tenant's tool. Of its variables it shows only the names and the secrets in them; their other text is
 * visible only to the program.
 */
export function tenantView({ tool, definition_digest, applied_by, applied_at }: TenantToolView): ToolView {
  const view = { ...viewOf(tenantDefinition(tool)), definition_digest };
  if (isDeclaredTool(tool)) {
    if (tool.kind !== 'function') return view;
    const { mode, idempotent } = tool;
    return { ...view, function: { mode, idempotent, applied_by, applied_at } };
  }
  const { cmd, args, optional_args, env } = tool;
  return {
    ...view,
    cli: {
      cmd,
      args,
      optional_args,
      env: env.map(({ name, parts }) => ({
        name,
        secrets: parts.flatMap((part) => ('secret' in part ? [part.secret] : [])),
      })),
      applied_by,
      applied_at,
    },
  };
}
