// SPDX-License-Identifier: Apache-2.0
import type { CliTool, CliToolSource } from '@writ/contract';
import { readToolFile } from './read-tools.ts';

/** The two tools of the specification's example, unchanged. */
export const KUBECTL_GET: CliToolSource = {
  name: 'kubectl_get',
  description: 'Get Kubernetes resources',
  category: 'read',
  cmd: 'kubectl',
  args: ['get', '{{resource}}'],
  optional_args: { namespace: ['-n', '{{namespace}}'] },
  parameters: {
    resource: {
      type: 'string',
      enum: ['pods', 'services', 'deployments', 'configmaps', 'secrets', 'nodes', 'namespaces'],
      description: 'The resource type',
    },
    namespace: { type: 'string', description: 'The Kubernetes namespace', pattern: '^[a-z0-9-]+$', optional: true },
  },
};
export const KUBECTL_APPLY: CliToolSource = {
  name: 'kubectl_apply',
  description: 'Apply a Kubernetes manifest',
  category: 'write',
  cmd: 'kubectl',
  args: ['apply', '-f', '{{file}}'],
  parameters: { file: { type: 'string', description: 'Path to the manifest file', pattern: '^[a-zA-Z0-9_./-]+$' } },
};

/** The tool as it is stored. Throws with its problems. */
export function stored(source: CliToolSource, variables: Record<string, string> = {}): CliTool {
  const {
    tools: [tool],
    problems,
  } = readToolFile({ tools: [source], variables });
  if (tool === undefined) throw new Error(JSON.stringify(problems));
  return { ...tool, version: 1 };
}
