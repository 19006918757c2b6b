// SPDX-License-Identifier: Apache-2.0
import { carryOut, DEFAULT_SANDBOX, exampleOf, VERBS, type VerbGroup } from '@writ/mk8-shell';
import { containerHost } from './container-host.ts';

/** Verbs that touch nothing: neither files nor chance may be in a snapshot that every script starts from. */
const GROUPS: ReadonlySet<VerbGroup> = new Set(['text', 'json', 'paths', 'versions', 'encoding', 'formatting', 'math']);
const LIMITS = { time_ms: 60_000, report_bytes: 1024 * 1024 } as const;

/**
 * Runs a script of examples before the snapshot is taken, so that the code that most scripts need is compiled in it.
 * Rejects where one fails, and there is no snapshot then: an image whose interpreter can't run its own examples isn't
 * built.
 */
export async function rehearse(): Promise<void> {
  const operations = [...VERBS.values()]
    .filter(({ group }) => GROUPS.has(group))
    .flatMap((verb) => exampleOf(verb).operations);
  const host = containerHost({ root: '/workspace', scratch: '/tmp', variables: {}, endAll: () => undefined });
  const report = await carryOut({ script: { operations }, sandbox: DEFAULT_SANDBOX, ...LIMITS }, host);
  if (report.status !== 'completed')
    throw new Error(`the rehearsal ended as ${report.status}: ${JSON.stringify(report).slice(0, 2_000)}`);
}
