// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { readPolicyFile } from '../policy-file.ts';
import { fieldsOf, tableOf } from '../terminal.ts';
import { Replay } from './views.ts';

type ReplayOptions = CommonOptions & { readonly policy?: string };
/** All pages of a replay, merged. */
type Replayed = Omit<Replay, 'next_cursor'>;

/** `writ run replay`. */
export function replayCommand(context: Context): Command {
  const command = new Command('replay')
    .description('how another policy would have decided the calls of a run; nothing runs')
    .argument('<run>')
    .option(
      '--policy <file|version>',
      'a file with a set, or a stored set by hash, name or name@version; the one in force by default',
    );
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<ReplayOptions>();
    const set = candidateOf(context.cwd, options.policy);
    const { client } = connect(context, options, 'operator');
    const read = (cursor?: string): Promise<Replay> =>
      client.read(Replay, `/v1/runs/${encodeURIComponent(id)}/replay`, { method: 'POST', body: { ...set, cursor } });
    let { next_cursor, ...replayed } = await read();
    while (next_cursor !== null) {
      const { next_cursor: next, ...page } = await read(next_cursor);
      [replayed, next_cursor] = [join(replayed, page), next];
    }
    show(context, options, replayed, () => describe(replayed));
  });
}

/**
 * The policy is a file if a file has that name, or if the name can't be that of a stored set.
 * @throws CliError for a file that can't be read
 */
function candidateOf(cwd: string, policy: string | undefined): { policy?: string; document?: unknown } {
  if (policy === undefined) return {};
  const path = resolve(cwd, policy);
  return policy.includes('/') || policy.endsWith('.json') || existsSync(path)
    ? { document: readPolicyFile(path).document }
    : { policy };
}

function join(first: Replayed, { parts_at, counts, items }: Replayed): Replayed {
  const [{ would_be: a, ...so }, { would_be: b, ...more }] = [first.counts, counts];
  return {
    ...first,
    parts_at: first.parts_at ?? parts_at,
    items: [...first.items, ...items],
    counts: {
      examined: so.examined + more.examined,
      skipped: so.skipped + more.skipped,
      changed: so.changed + more.changed,
      would_be: { admitted: a.admitted + b.admitted, held: a.held + b.held, refused: a.refused + b.refused },
    },
  };
}

type Item = Replay['items'][number];

function describe({ run_id, candidate, parts_at, counts, items }: Replayed): string {
  const placeOf = (at: Pick<Item, 'run_id' | 'round' | 'index'>): string =>
    `${at.run_id === run_id ? '' : `${at.run_id} `}${at.round}/${at.index}`;
  const decisionOf = ({ was, would_be, why_not }: Item): string => {
    if (was === null || would_be === null) return why_not ?? 'not comparable';
    return was.mode === would_be.mode ? was.mode : `${was.mode} → ${would_be.mode}`;
  };
  const rulesOf = ({ was, would_be }: Item): string =>
    was === null || would_be === null || was.mode === would_be.mode ? '' : would_be.rule_ids.join(', ');
  const { admitted, held, refused } = counts.would_be;
  return [
    fieldsOf({
      run: run_id,
      candidate: `${candidate.name}${candidate.enforcement === 'observe' ? ' (observed only)' : ''}`,
      hash: candidate.policy_hash,
      'looked at': counts.examined,
      'not comparable': counts.skipped,
      'decided otherwise': counts.changed,
      'would be': `${admitted} admitted, ${held} held, ${refused} refused`,
      'parts at': parts_at === null ? 'nowhere: it would have been the same conversation' : placeOf(parts_at),
    }),
    ...(items.length === 0
      ? []
      : [
          tableOf(
            ['call', 'tool', 'decision', 'rules', 'operation'],
            items.map((item) => [
              placeOf(item),
              item.tool_id,
              decisionOf(item),
              rulesOf(item),
              item.operation_id ?? '',
            ]),
          ),
        ]),
  ].join('\n\n');
}
