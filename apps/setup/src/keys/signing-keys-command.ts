// SPDX-License-Identifier: Apache-2.0
import { momentMs, periodMs } from '@writ/nest-kit/times';
import { PURPOSES, type Purpose } from '@writ/signing';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { readKeysConfig, type Variables } from '../config.env.ts';
import type { ClusterRings } from './cluster-rings.ts';
import { listed, revoke, rotate, type ChangeOptions, type RingChange, type RingTexts } from './change-rings.ts';

/**
 * A kubelet may take a minute and a half until a changed Secret or ConfigMap is in a pod, and processes look each two
 * seconds.
 */
const OVERLAP_MS_MIN = 120_000;

interface Options {
  readonly prefix: string;
  readonly overlap: number;
}
interface RevokeOptions extends Options {
  readonly kid: string;
  readonly from?: number;
}

function parseOverlap(text: string): number {
  const ms = periodMs(text);
  if (ms === null || ms < OVERLAP_MS_MIN) {
    throw new InvalidArgumentError(
      'a period of two minutes or more, such as 15m or 2h: every pod has to read the key before it signs.',
    );
  }
  return ms;
}

function parseMoment(text: string): number {
  const moment = momentMs(text);
  if (moment === null) throw new InvalidArgumentError('a moment in UTC, such as 2026-05-01T12:00Z.');
  return moment;
}

/** What the command needs of its program. */
export interface SigningKeysParts {
  readonly env: Variables;
  readonly parsePrefix: (text: string) => string;
  readonly now: () => number;
  readonly say: (line: string) => void;
  /** runs an action under the program's rules of failure, and says what it answers */
  readonly run: (name: string, act: () => Promise<string>) => Promise<void>;
}

/** `setup signing-keys`: changes the rings of a release in its cluster. On files `writ signing-keys` does the same. */
export function signingKeysCommand({ env, parsePrefix, now, say, run }: SigningKeysParts): Command {
  // The client of Kubernetes is loaded only where it is used.
  const ringsOf = async (prefix: string): Promise<ClusterRings> => {
    const { WRIT_DEPLOYMENT: deployment } = readKeysConfig(env);
    const [{ inClusterPlace }, { ClusterRings }] = await Promise.all([
      import('./cluster-store.ts'),
      import('./cluster-rings.ts'),
    ]);
    return new ClusterRings(inClusterPlace(prefix), deployment);
  };
  const list = async (prefix: string): Promise<string> => {
    const lines = listed(await (await ringsOf(prefix)).read(), now());
    for (const line of lines) say(line);
    return `${String(lines.length)} keys`;
  };
  const change = async (
    prefix: string,
    decide: (texts: RingTexts, options: Pick<ChangeOptions, 'now'>) => RingChange,
  ): Promise<string> => await (await ringsOf(prefix)).change((texts) => decide(texts, { now: now() }));
  const purpose = (): Argument => new Argument('<purpose>', 'whose key').choices(PURPOSES);
  const shared = (command: Command, overlap: number): Command =>
    command
      .exitOverride()
      .addArgument(purpose())
      .requiredOption('--prefix <release>', "what the Secrets' names begin with", parsePrefix)
      .option('--overlap <period>', 'how long a new key is known before it signs', parseOverlap, overlap);
  const group = new Command('signing-keys').description(
    'lists and changes the signing keys of a release in its cluster',
  );
  group
    .command('list')
    .description('the keys of permits, records and checkpoints, their ids, and which of them sign')
    .exitOverride()
    .requiredOption('--prefix <release>', "what the Secrets' names begin with", parsePrefix)
    .action(({ prefix }: Pick<Options, 'prefix'>) => run('signing-keys list', () => list(prefix)));
  shared(group.command('rotate').description('makes another key; the one before verifies on'), 15 * 60_000).action(
    (of: Purpose, { prefix, overlap }: Options) =>
      run('signing-keys rotate', () => change(prefix, (texts, at) => rotate(texts, of, { ...at, overlapMs: overlap }))),
  );
  shared(
    group.command('revoke').description('gives up a key that others may have; another takes its place'),
    OVERLAP_MS_MIN,
  )
    .requiredOption('--kid <id>', 'which key; for an id that begins with a dash `--kid=-…`')
    .option('--from <moment>', 'when it was lost, if that is known; now unless said', parseMoment)
    .action((of: Purpose, { prefix, overlap, kid, from }: RevokeOptions) =>
      run('signing-keys revoke', () =>
        change(prefix, (texts, at) =>
          revoke(texts, of, { ...at, overlapMs: overlap, keyid: kid, from: from ?? at.now }),
        ),
      ),
    );
  return group;
}
