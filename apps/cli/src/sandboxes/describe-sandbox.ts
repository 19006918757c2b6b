// SPDX-License-Identifier: Apache-2.0
import type { SandboxDetails } from '@writ/contract';
import { fieldsOf, momentOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';

/** The API path of a sandbox. */
export const pathOf = (name: string, rest = ''): string => `/v1/sandboxes/${encodeURIComponent(name)}${rest}`;

/** A sandbox for people. */
export function describeSandbox({
  name,
  workspace_id,
  definition,
  environment,
  keyid,
  signed_at,
  digest,
  problem,
}: SandboxDetails): string {
  return fieldsOf({
    sandbox: name,
    workspace: workspace_id,
    'scripts run': problem === null ? 'yes' : `no: ${visibleLine(problem)}`,
    ...(signed_at === null || keyid === null ? {} : { signed: `${momentOf(signed_at)} by ${keyid}` }),
    ...(digest === null ? {} : { digest }),
    environment:
      Object.entries(environment ?? {})
        .map(([key, value]) => visibleLine(`${key}=${value}`))
        .join('\n') || 'none',
    rules: visibleLine(JSON.stringify(definition['rules'] ?? {})),
    templates: visibleLine(JSON.stringify(definition['enabled_templates'] ?? 'all')),
    fragments:
      Object.keys((definition['fragments'] ?? {}) as object)
        .map(visibleLine)
        .join('\n') || 'none',
  });
}
