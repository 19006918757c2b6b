// SPDX-License-Identifier: Apache-2.0
import { tenantDefinition } from '@writ/cli-tool';
import {
  definitionForDigest,
  isDeclaredTool,
  type DeclaredTool,
  type TenantToolView,
  type ToolDefinition,
} from '@writ/contract';
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
  const applied = { applied_by, applied_at };
  if (isDeclaredTool(tool)) return { ...view, ...declaredView(tool, applied) };
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
      ...applied,
    },
  };
}

/** What a declared tool is, under the member that its kind has. Of credentials it shows the names of the secrets. */
function declaredView(
  tool: DeclaredTool,
  applied: { readonly applied_by: string; readonly applied_at: number },
): Pick<ToolView, 'function' | 'http' | 'mcp'> {
  switch (tool.kind) {
    case 'function': {
      const { idempotent } = tool;
      const mode = tool.mode === 'pull' ? 'pull' : 'caller';
      return { function: { mode, idempotent, ...applied } };
    }
    case 'http': {
      const { method, server, path, inputs, body, idempotency_header } = tool;
      const credentials = tool.credentials.map(({ in: place, name, secret }) => ({ in: place, name, secret }));
      return { http: { method, server, path, inputs, body, credentials, idempotency_header, ...applied } };
    }
    case 'mcp': {
      const { server, remote_name, remote_digest, server_digest, annotations = {} } = tool;
      return { mcp: { server, remote_name, remote_digest, server_digest, annotations, ...applied } };
    }
  }
}
