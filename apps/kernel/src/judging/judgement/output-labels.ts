// SPDX-License-Identifier: Apache-2.0
import type { FsResource, ToolDefinition } from '@writ/contract';
import { effectFacts } from '@writ/policy';

/** The rule of the risk table for a command that reads credentials. */
const READS_CREDENTIALS = 'secret.read';
/** Represents any file: only its path counts. */
const ANY_FILE = { kind: 'file', mode: '644', sha256: '0'.repeat(64), size: 0 } as const;

/** The labels that a call brings into its session, as far as its arguments show. Sorted, each once. */
export function outputLabels(
  { labels }: Pick<ToolDefinition, 'labels'>,
  resources: readonly FsResource[],
  riskBasis: readonly string[],
): string[] {
  const secrets =
    riskBasis.includes(READS_CREDENTIALS) || resources.some(({ access, path }) => access === 'read' && isSecret(path));
  return [...new Set(labels.filter(({ when }) => when === 'always' || secrets).map(({ label }) => label))].sort();
}

const isSecret = (path: string): boolean =>
  effectFacts([{ path, before: null, after: ANY_FILE }]).areas.includes('secrets');
