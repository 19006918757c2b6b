// SPDX-License-Identifier: Apache-2.0
import { runOrder, DEFAULT_SANDBOX, exampleOf, VERBS, type VerbGroup } from '@writ/mk8-shell';
import { containerHost } from './container-host.ts';

/**
 * Groups of verbs without side effects: neither files nor random numbers may be in a snapshot that every script starts
 * from.
 */
const GROUPS: ReadonlySet<VerbGroup> = new Set(['text', 'json', 'paths', 'versions', 'encoding', 'formatting', 'math']);
const LIMITS = { time_ms: 60_000, report_bytes: 1024 * 1024 } as const;

/**
 * Runs a script of examples before the snapshot is taken, so that the snapshot contains compiled code for most scripts.
 * Rejects where an example fails: then no image is built with this interpreter.
 */
export async function rehearse(): Promise<void> {
  const operations = [...VERBS.values()]
    .filter(({ group }) => GROUPS.has(group))
    .flatMap((verb) => exampleOf(verb).operations);
  const host = containerHost({ root: '/workspace', scratch: '/tmp', variables: {}, endAll: () => undefined });
  const report = await runOrder({ script: { operations }, sandbox: DEFAULT_SANDBOX, ...LIMITS }, host);
  if (report.status !== 'completed')
    throw new Error(`the rehearsal ended as ${report.status}: ${JSON.stringify(report).slice(0, 2_000)}`);
}
