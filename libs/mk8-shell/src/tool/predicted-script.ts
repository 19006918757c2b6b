// SPDX-License-Identifier: Apache-2.0
import type { Effects, Program } from '../compile/program.ts';

/** The predicted effects of a script, as far as they are known without running it: the result of a dry run. */
export interface PredictedScript extends Pick<
  Effects,
  'category' | 'reads' | 'writes' | 'deletes' | 'hosts' | 'requests' | 'templates' | 'open'
> {
  readonly status: 'dry_run';
  /** its sandbox; the digest is null for the shipped one */
  readonly sandbox: { readonly name: string; readonly digest: string | null };
  /** operations after expansion */
  readonly steps: number;
  readonly cleanup: number;
  /** entries of the lists that did not fit */
  readonly omitted: number;
}

/** Of each of the seven lists, as JSON: together with everything else they fit into a result in one message. */
const LIST_BYTES_MAX = 8 * 1024;

/** Predicts the effects of a compiled script; long lists are cut. */
export function predictScript(
  { steps, cleanup, effects }: Program,
  sandbox: PredictedScript['sandbox'],
): PredictedScript {
  let omitted = 0;
  const head = <T>(rows: readonly T[]): readonly T[] => {
    let bytes = 0;
    const kept = rows.filter((row) => (bytes += Buffer.byteLength(JSON.stringify(row)) + 1) <= LIST_BYTES_MAX);
    omitted += rows.length - kept.length;
    return kept;
  };
  const { category, reads, writes, deletes, hosts, requests, templates, open } = effects;
  const lists = {
    reads: head(reads),
    writes: head(writes),
    deletes: head(deletes),
    hosts: head(hosts),
    requests: head(requests),
    templates: head(templates),
    open: head(open),
  };
  return { status: 'dry_run', sandbox, steps: steps.length, cleanup: cleanup.length, category, ...lists, omitted };
}
