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
import { KeyFolders, purposeOf, withKeyErrors, type FolderOptions } from './key-folders.ts';

/** Thirty times what a process takes to read a changed file. */
const OVERLAP = '1m';
/** The overlap of a key whose predecessor was lost: a little more than every process takes to read it. */
const REPLACEMENT_OVERLAP_MS = 5_000;
/**
 * How long records of a revoked key are still accepted. By then its successor signs everywhere, even on a busy machine,
 * and its last records have reached the log.
 */
const REVOCATION_GRACE_MS = 30_000;

interface RotateOptions extends FolderOptions {
  readonly overlap: string;
}
interface RevokeOptions extends FolderOptions {
  readonly kid: string;
  readonly from?: string;
}

/** `writ signing-keys`: changes only the files; the processes follow them. */
export function signingKeysCommand(context: Context): Command {
  return new Command('signing-key')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(rotateCommand(context))
    .addCommand(revokeCommand(context))
    .addCommand(wrapCommand(context));
}

const withFolderOptions = (command: Command): Command =>
  command
    .option(
      '--keys <dir>',
      'the folder of `permit.json`, `record.json` and `checkpoint.json`; `keys` of `npm start` by default',
    )
    .option('--public <dir>', 'the folder of the published keys; `public` of `npm start` by default')
    .option('--bundle <file>', 'the file that verifies receipts')
    .option('--wrap <file>', 'the file that names the device that wraps the rings, as in `WRIT_KEY_WRAP_FILE`');

function listCommand(context: Context): Command {
  const command = withFolderOptions(
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
  const command = withFolderOptions(
    new Command('rotate')
      .argument('<purpose>', PURPOSES.join(', '))
      .description('makes a new key, which signs after an overlap; the previous key still verifies'),
  ).option('--overlap <period>', 'how long it is published before it signs', OVERLAP);
  return command.action((text: string) => {
    const options = command.optsWithGlobals<RotateOptions>();
    const purpose = purposeOf(text);
    const folders = new KeyFolders(context, options);
    const [generated, now] = [newKey(), Date.now()];
    const ring = folders.change(() => {
      const { rings, pemsOf } = folders.read();
      const changed = withKeyErrors(() =>
        withNext(rings[purpose], { signer: generated.signer, now, overlapMs: overlapOf(options.overlap) }),
      );
      const pemOf = (keyid: string): string | null =>
        keyid === generated.signer.keyid ? generated.pem : pemsOf[purpose](keyid);
      folders.write(purpose, { before: rings, changed, pemOf });
      return changed;
    });
    const next = viewOf(purpose, keyOf(ring, generated.signer.keyid), now);
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
  const command = withFolderOptions(
    new Command('wrap').description(
      'wraps the rings with the key of a device, which unwraps them for the processes; wrapped rings are wrapped again',
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

/** With a shorter overlap, some process would refuse the new key's signatures, since it hasn't read the key yet. */
function overlapOf(text: string): number {
  const period = parsePeriod('--overlap', text);
  if (period < REPLACEMENT_OVERLAP_MS)
    throw usage(
      `\`--overlap ${text}\` is too short: every process has to read the key before it signs, which takes up to 2s; give 5s or more`,
    );
  return period;
}

function revokeCommand(context: Context): Command {
  const command = withFolderOptions(
    new Command('revoke')
      .argument('<purpose>', PURPOSES.join(', '))
      .description('revokes a key that others may have; if it signs now, a new key replaces it'),
  )
    .requiredOption('--kid <id>', 'the id of the key; write `--kid=-…` for an id that begins with a dash')
    .option('--from <moment>', 'when it was lost, if known: `2026-05-01T12:00Z`; now by default');
  return command.action((text: string) => {
    const options = command.optsWithGlobals<RevokeOptions>();
    const purpose = purposeOf(text);
    const folders = new KeyFolders(context, options);
    const [generated, now] = [newKey(), Date.now()];
    const { ring, isLast } = folders.change(() => {
      const { rings, pemsOf } = folders.read();
      const { changed, isReplaced } = withKeyErrors(() => {
        const next = withSuccessorOf(rings[purpose], options.kid, {
          signer: generated.signer,
          now,
          overlapMs: REPLACEMENT_OVERLAP_MS,
        });
        const revoked = { keyid: options.kid, now, from: momentFrom(options.from, now), settleMs: REVOCATION_GRACE_MS };
        return { changed: withRevoked(next.ring, revoked), isReplaced: next.isReplaced };
      });
      const pemOf = (keyid: string): string | null =>
        keyid === generated.signer.keyid ? generated.pem : pemsOf[purpose](keyid);
      folders.write(purpose, { before: rings, changed, pemOf });
      return { ring: changed, isLast: isReplaced };
    });
    const revoked = ring.keys.find(({ keyid }) => keyid === options.kid);
    const value = {
      purpose,
      keyid: options.kid,
      revoked: revoked?.revoked ?? null,
      successor: isLast ? generated.signer.keyid : null,
    };
    show(context, options, value, () =>
      [
        revoked === undefined
          ? `the ${purpose} key ${options.kid} never signed, and is gone`
          : `the ${purpose} key ${options.kid} is revoked from ${momentOf(revoked.revoked?.from ?? now)} on`,
        ...(isLast
          ? [`${generated.signer.keyid} signs in its place from ${momentOf(now + REPLACEMENT_OVERLAP_MS)} on`]
          : []),
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

/** The remaining step for verifiers outside of this deployment. */
const publishedNote = (purpose: Purpose): string =>
  purpose === 'permit'
    ? 'verifiers outside have to do nothing'
    : 'verifiers need the public keys again: `/.well-known/writ-keys.json` has them';

const keyOf = ({ keys }: KeyRing, keyid: string): SigningKey => keys.find((key) => key.keyid === keyid) as SigningKey;

/** A key in the output: without its private half. */
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
