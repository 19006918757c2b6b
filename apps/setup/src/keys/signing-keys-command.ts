// SPDX-License-Identifier: Apache-2.0
import { momentMs, periodMs } from '@writ/nest-kit/times';
import { PURPOSES, type Purpose } from '@writ/signing';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { readKeysConfig, type Variables } from '../config.env.ts';
import type { ClusterRings } from './cluster-rings.ts';
import { describeKeys, revoke, rotate, type ChangeOptions, type RingChange, type RingTexts } from './change-rings.ts';

/**
 * A kubelet may take a minute and a half until a changed Secret or ConfigMap is in a pod, and processes check every two
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

/** The functions of the program that the command uses. */
export interface SigningKeysParts {
  readonly env: Variables;
  readonly parsePrefix: (text: string) => string;
  readonly now: () => number;
  readonly print: (line: string) => void;
  /** runs an action with the program's error handling, and prints its result */
  readonly run: (name: string, act: () => Promise<string>) => Promise<void>;
}

/** `setup signing-keys`: changes the rings of a release in its cluster. `writ signing-keys` does the same on files. */
export function signingKeysCommand(parts: SigningKeysParts): Command {
  const group = new Command('signing-keys').description(
    'lists and changes the signing keys of a release in its cluster',
  );
  addList(group, parts);
  addRotate(group, parts);
  addRevoke(group, parts);
  return group;
}

function addList(group: Command, { env, parsePrefix, now, print, run }: SigningKeysParts): void {
  const list = async (prefix: string): Promise<string> => {
    const lines = describeKeys(await (await ringsOf(env, prefix)).read(), now());
    for (const line of lines) print(line);
    return `${String(lines.length)} keys`;
  };
  group
    .command('list')
    .description('the keys of permits, records and checkpoints, their ids, and which of them sign')
    .exitOverride()
    .requiredOption('--prefix <release>', "what the Secrets' names begin with", parsePrefix)
    .action(({ prefix }: Pick<Options, 'prefix'>) => run('signing-keys list', () => list(prefix)));
}

function addRotate(group: Command, parts: SigningKeysParts): void {
  const rotation = group.command('rotate').description('makes another key; the one before verifies on');
  withChangeOptions(rotation, parts, 15 * 60_000).action((of: Purpose, { prefix, overlap }: Options) =>
    parts.run('signing-keys rotate', () =>
      change(parts, prefix, (texts, at) => rotate(texts, of, { ...at, overlapMs: overlap })),
    ),
  );
}

function addRevoke(group: Command, parts: SigningKeysParts): void {
  const revocation = group
    .command('revoke')
    .description('gives up a key that others may have; another takes its place');
  withChangeOptions(revocation, parts, OVERLAP_MS_MIN)
    .requiredOption('--kid <id>', 'which key; for an id that begins with a dash `--kid=-…`')
    .option('--from <moment>', 'when it was lost, if that is known; now by default', parseMoment)
    .action((of: Purpose, { prefix, overlap, kid, from }: RevokeOptions) =>
      parts.run('signing-keys revoke', () =>
        change(parts, prefix, (texts, at) =>
          revoke(texts, of, { ...at, overlapMs: overlap, keyid: kid, from: from ?? at.now }),
        ),
      ),
    );
}

/** Adds the purpose, the release and the overlap, which both changes need. */
const withChangeOptions = (
  command: Command,
  { parsePrefix }: Pick<SigningKeysParts, 'parsePrefix'>,
  overlapMs: number,
): Command =>
  command
    .exitOverride()
    .addArgument(new Argument('<purpose>', 'whose key').choices(PURPOSES))
    .requiredOption('--prefix <release>', "what the Secrets' names begin with", parsePrefix)
    .option('--overlap <period>', 'how long a new key is known before it signs', parseOverlap, overlapMs);

/** The rings of a release. The Kubernetes client is loaded only when it is used. */
async function ringsOf(env: Variables, prefix: string): Promise<ClusterRings> {
  const { WRIT_DEPLOYMENT: deployment } = readKeysConfig(env);
  const [{ inClusterTarget }, { ClusterRings }] = await Promise.all([
    import('./cluster-store.ts'),
    import('./cluster-rings.ts'),
  ]);
  return new ClusterRings(inClusterTarget(prefix), deployment);
}

const change = async (
  { env, now }: SigningKeysParts,
  prefix: string,
  decide: (texts: RingTexts, options: Pick<ChangeOptions, 'now'>) => RingChange,
): Promise<string> => await (await ringsOf(env, prefix)).change((texts) => decide(texts, { now: now() }));
