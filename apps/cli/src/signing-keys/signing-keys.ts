// SPDX-License-Identifier: Apache-2.0
import { newKey } from '@writ/nest-kit/keys';
import { momentMs } from '@writ/nest-kit/times';
import {
  PURPOSES,
  stateAt,
  withNext,
  withRevoked,
  withSuccessorOf,
  type KeyRing,
  type Purpose,
  type SigningKey,
} from '@writ/signing';
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type Context } from '../context.ts';
import { parsePeriod } from '../period.ts';
import { momentOf, tableOf } from '../terminal.ts';
import { KeyFolders, purposeOf, withinKeys, type FolderOptions } from './key-folders.ts';

/** Thirty times what a process takes to read a file that changed. */
const OVERLAP = '1m';
/** The overlap of a key whose predecessor was lost: what every process takes to read it, and little more. */
const HASTE_MS = 5_000;
/**
 * How long a key that was revoked is still taken in: until its successor signs everywhere, also on a machine that is
 * busy, and what it signed last has reached the log.
 */
const SETTLE_MS = 30_000;

interface RotateOptions extends FolderOptions {
  readonly overlap: string;
}
interface RevokeOptions extends FolderOptions {
  readonly kid: string;
  readonly from?: string;
}

/** `writ signing-keys`: works on the files alone; the processes follow them. */
export function signingKeysCommand(context: Context): Command {
  return new Command('signing-keys')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(rotateCommand(context))
    .addCommand(revokeCommand(context))
    .addCommand(wrapCommand(context));
}

const foldered = (command: Command): Command =>
  command
    .option(
      '--keys <dir>',
      'where `permit.json`, `record.json` and `checkpoint.json` are; `keys` of `npm start` unless said',
    )
    .option('--public <dir>', 'where what is published of them is; `public` of `npm start` unless said')
    .option('--bundle <file>', 'the file that verifies receipts')
    .option('--wrap <file>', 'which device wraps the rings: what `WRIT_KEY_WRAP_FILE` names');

function listCommand(context: Context): Command {
  const command = foldered(
    new Command('list').description('the keys of permits, records and checkpoints, and when each signs'),
  );
  return command.action(() => {
    const options = command.optsWithGlobals<FolderOptions>();
    const { rings } = new KeyFolders(context, options).read();
    const now = Date.now();
    const keys = PURPOSES.flatMap((purpose) => rings[purpose].keys.map((key) => viewOf(purpose, key, now)));
    show(context, options, { keys }, () =>
      tableOf(
        ['purpose', 'key', 'state', 'signs from', 'until'],
        keys.map((key) => [
          key.purpose,
          key.keyid,
          key.state,
          key.signs_from === 0 ? '' : momentOf(key.signs_from),
          key.signs_until === null ? '' : momentOf(key.signs_until),
        ]),
      ),
    );
  });
}

function rotateCommand(context: Context): Command {
  const command = foldered(
    new Command('rotate')
      .argument('<purpose>', PURPOSES.join(', '))
      .description('makes another key, which signs once everybody knows it; the one before verifies on'),
  ).option('--overlap <period>', 'how long it is known before it signs', OVERLAP);
  return command.action((text: string) => {
    const options = command.optsWithGlobals<RotateOptions>();
    const purpose = purposeOf(text);
    const folders = new KeyFolders(context, options);
    const [made, now] = [newKey(), Date.now()];
    const ring = folders.change(() => {
      const { rings, pemsOf } = folders.read();
      const changed = withinKeys(() =>
        withNext(rings[purpose], { signer: made.signer, now, overlapMs: overlapOf(options.overlap) }),
      );
      const pemOf = (keyid: string): string | null => (keyid === made.signer.keyid ? made.pem : pemsOf[purpose](keyid));
      folders.write(purpose, { before: rings, changed, pemOf });
      return changed;
    });
    const next = viewOf(purpose, keyOf(ring, made.signer.keyid), now);
    show(
      context,
      options,
      next,
      () =>
        `the ${purpose} key ${next.keyid} signs from ${momentOf(next.signs_from)} on; until then the one before does\n${publishedNote(purpose)}`,
    );
  });
}

function wrapCommand(context: Context): Command {
  const command = foldered(
    new Command('wrap').description(
      'puts the rings under the key of a device, from which processes have it unwrap them; those that are under it already are wrapped anew',
    ),
  );
  return command.action(() => {
    const options = command.optsWithGlobals<FolderOptions>();
    if (options.wrap === undefined) throw usage('name the device with `--wrap`');
    const folders = new KeyFolders(context, options);
    folders.change(() => {
      const { rings, pemsOf } = folders.read();
      for (const purpose of PURPOSES)
        folders.write(purpose, { before: rings, changed: rings[purpose], pemOf: pemsOf[purpose] });
    });
    show(
      context,
      options,
      { wrapped: PURPOSES },
      () =>
        'the rings are wrapped. Start kernel and ledger with `WRIT_KEY_WRAP_FILE`, and destroy older copies of the files: they hold the keys in clear',
    );
  });
}

/** Fewer than every process takes to read the file would have what the new key signs refused. */
function overlapOf(text: string): number {
  const period = parsePeriod('--overlap', text);
  if (period < HASTE_MS)
    throw usage(
      `\`--overlap ${text}\` is too short: every process has to read the key before it signs, which takes up to 2s; give 5s or more`,
    );
  return period;
}

function revokeCommand(context: Context): Command {
  const command = foldered(
    new Command('revoke')
      .argument('<purpose>', PURPOSES.join(', '))
      .description('gives up a key that others may have; where it signs now, another takes its place'),
  )
    .requiredOption('--kid <id>', 'which; for an id that begins with a dash `--kid=-…`')
    .option('--from <moment>', 'when it was lost, if that is known: `2026-05-01T12:00Z`; now unless said');
  return command.action((text: string) => {
    const options = command.optsWithGlobals<RevokeOptions>();
    const purpose = purposeOf(text);
    const folders = new KeyFolders(context, options);
    const [made, now] = [newKey(), Date.now()];
    const { ring, isLast } = folders.change(() => {
      const { rings, pemsOf } = folders.read();
      const { changed, isReplaced } = withinKeys(() => {
        const next = withSuccessorOf(rings[purpose], options.kid, { signer: made.signer, now, overlapMs: HASTE_MS });
        const revoked = { keyid: options.kid, now, from: momentFrom(options.from, now), settleMs: SETTLE_MS };
        return { changed: withRevoked(next.ring, revoked), isReplaced: next.isReplaced };
      });
      const pemOf = (keyid: string): string | null => (keyid === made.signer.keyid ? made.pem : pemsOf[purpose](keyid));
      folders.write(purpose, { before: rings, changed, pemOf });
      return { ring: changed, isLast: isReplaced };
    });
    const revoked = ring.keys.find(({ keyid }) => keyid === options.kid);
    const value = {
      purpose,
      keyid: options.kid,
      revoked: revoked?.revoked ?? null,
      successor: isLast ? made.signer.keyid : null,
    };
    show(context, options, value, () =>
      [
        revoked === undefined
          ? `the ${purpose} key ${options.kid} never signed, and is gone`
          : `the ${purpose} key ${options.kid} is revoked from ${momentOf(revoked.revoked?.from ?? now)} on`,
        ...(isLast ? [`${made.signer.keyid} signs in its place from ${momentOf(now + HASTE_MS)} on`] : []),
        publishedNote(purpose),
      ].join('\n'),
    );
  });
}

/** @throws CliError `usage` */
function momentFrom(text: string | undefined, now: number): number {
  if (text === undefined) return now;
  const moment = momentMs(text);
  if (moment === null) throw usage(`\`--from ${text}\` is no moment: write it in UTC, such as 2026-05-01T12:00Z`);
  return moment;
}

/** What is left to do for those who verify away from here. */
const publishedNote = (purpose: Purpose): string =>
  purpose === 'permit'
    ? 'nobody outside has to do anything'
    : 'whoever keeps the public keys needs them anew: `/.well-known/writ-keys.json` has them';

const keyOf = ({ keys }: KeyRing, keyid: string): SigningKey => keys.find((key) => key.keyid === keyid) as SigningKey;

/** A key as it is shown: nothing of its private half. */
const viewOf = (purpose: Purpose, key: SigningKey, now: number) => ({
  purpose,
  keyid: key.keyid,
  state: stateAt(key, now),
  not_before: key.not_before,
  signs_from: key.signs_from,
  signs_until: key.signs_until,
  not_after: key.not_after,
  revoked: key.revoked,
});
