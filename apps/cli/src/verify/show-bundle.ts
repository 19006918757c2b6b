// SPDX-License-Identifier: Apache-2.0
import { show, type CommonOptions, type Context } from '../context.ts';
import { fieldsOf, momentOf, paint } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import type { VerifiedBundle } from './verify-bundle.ts';

/** Prints the contents of a bundle, with what is proven and what is not. */
export function showBundle(
  context: Context,
  file: string,
  options: CommonOptions,
  { manifest, operations, proven, not_proven }: VerifiedBundle,
): void {
  const { session_id, since, until, made_at, records, tree_size, log_id, missing } = manifest;
  const value = {
    file,
    ok: true,
    log_id,
    made_at,
    session_id,
    since,
    until,
    records,
    operations,
    tree_size,
    missing,
    proven,
    not_proven,
  };
  show(context, options, value, () =>
    [
      paint.bold(visibleLine(file)),
      ...proven.map((line) => `  ${paint.green('✔')} ${line}`),
      ...not_proven.map((line) => `  ${paint.dim('–')} not proven: ${line}`),
      '',
      fieldsOf({
        log: log_id,
        made: momentOf(made_at),
        session: session_id,
        since: since === null ? null : momentOf(since),
        until: until === null ? null : momentOf(until),
        records,
        operations,
        'log size': tree_size,
        missing: missing.map(({ kind, sha256 }) => `${kind} ${sha256}`).join('\n'),
      }),
    ].join('\n'),
  );
}
