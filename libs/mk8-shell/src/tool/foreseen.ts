// SPDX-License-Identifier: Apache-2.0
import type { Effects, Program } from '../compile/program.ts';

/** What a script would do, as far as that is known without running it: the result of a dry run. */
export interface ForeseenScript extends Pick<
  Effects,
  'category' | 'reads' | 'writes' | 'deletes' | 'hosts' | 'requests' | 'templates' | 'open'
> {
  readonly status: 'dry_run';
  /** what it would run in; the digest is null for what is shipped */
  readonly sandbox: { readonly name: string; readonly digest: string | null };
  /** operations once expanded */
  readonly steps: number;
  readonly cleanup: number;
  /** entries of the lists for which there was no room */
  readonly omitted: number;
}

/** Of each of the seven lists, as JSON: together with all else they fit into a result that travels in one message. */
const LIST_BYTES_MAX = 8 * 1024;

/** Says what a compiled script would do; of long lists the head. */
export function foreseenOf({ steps, cleanup, effects }: Program, sandbox: ForeseenScript['sandbox']): ForeseenScript {
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
