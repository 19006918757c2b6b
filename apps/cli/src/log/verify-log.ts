// SPDX-License-Identifier: Apache-2.0
import { EMPTY_FRONTIER, MerkleError, TILE_WIDTH, verifyConsistency, type Frontier } from '@writ/merkle';
import { SignatureError } from '@writ/signing';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { readNamedText } from '../read-named-file.ts';
import { fieldsOf } from '../terminal.ts';
import { withTrust, type Trust, type TrustOptions } from '../trust.ts';
import { serverSource, type LogSource } from './log-source.ts';
import { mirrorSource } from './mirror-source.ts';
import { progressLine } from './progress-bar.ts';
import { readCheckpoint, readSavedCheckpoint, readTrusted, type SignedCheckpoint } from './read-checkpoint.ts';
import { readLog } from './read-log.ts';
import { saveState, readState, type ReadingState } from './reading-state.ts';
import { NO_KEYS, SigningTally, type RevokedKeyCounts, type KeyState } from './signing-tally.ts';
import { verifySignatures, type SignatureCount } from './verify-signatures.ts';

/** Records between two saves of the state: an interrupted reading repeats at most these. */
const SAVE_EVERY = 16 * TILE_WIDTH;

interface VerifyLogOptions extends CommonOptions, TrustOptions {
  readonly since?: string;
  readonly mirror?: string;
  readonly state?: string;
  /** true unless `--no-signatures` */
  readonly signatures: boolean;
}

/** `writ log verify (--keys FILE | --trust FILE) [--since FILE] [--mirror DIR] [--state FILE] [--no-signatures]`. */
export function verifyLogCommand(context: Context): Command {
  const command = withTrust(new Command('verify'))
    .description(
      "Reads every record of the log, verifies its signature, computes the root and compares it with the signed checkpoint. You needn't trust the server for that.",
    )
    .option('--since <file>', 'a checkpoint that you kept: the log must extend it')
    .option('--mirror <dir>', 'read a copy of the log on disk (`writ log mirror`) instead of the server')
    .option('--state <file>', 'a file for the progress: the next reading resumes there, and the log must extend it')
    .option(
      '--no-signatures',
      'compute only the root: this proves that the log is the signed one, not that a kernel signed each record',
    );
  return command.action(async () => verifyLog(context, command.optsWithGlobals<VerifyLogOptions>()));
}

/** Verifies the log up to its newest checkpoint, and prints the result. */
async function verifyLog(context: Context, options: VerifyLogOptions): Promise<void> {
  const trust = readTrusted(options);
  const source =
    options.mirror === undefined
      ? serverSource(connect(context, options, 'operator').client)
      : mirrorSource(options.mirror);
  const newest = readCheckpoint(await source.checkpoint(), trust, 'the newest checkpoint');
  const since =
    options.since === undefined
      ? null
      : readSavedCheckpoint(readNamedText(options.since, '--since'), trust, `\`${options.since}\``);
  if (since !== null) await verifyGrowth(source, since, newest);
  const { read, found } = await verifyRecords(context, options, { source, newest, trust });
  const signatures =
    found === null
      ? null
      : { verified: found.verified, by_keys_revoked_since: found.records, before_revocation: found.beforeRevocation };
  const verified = {
    origin: newest.origin,
    tree_size: newest.treeSize,
    root: Buffer.from(newest.root).toString('base64'),
    since: since?.treeSize ?? null,
    read,
    signatures,
  };
  show(context, options, { ok: true, ...verified }, () =>
    fieldsOf({
      log: verified.origin,
      records: verified.tree_size,
      'read now': read,
      'signatures now': describeSignatures(found),
      root: verified.root,
      'grown from': verified.since,
    }),
  );
}

function describeSignatures(found: SignatureResult | null): string {
  if (found === null) return 'not verified';
  const { verified, records, beforeRevocation } = found;
  const byWord = records - beforeRevocation;
  const parts = [
    ...(beforeRevocation === 0
      ? []
      : [`${String(beforeRevocation)} were recorded before the revocation that the log states`]),
    ...(byWord === 0 ? [] : [`that ${String(byWord)} are older is their own word`]),
  ];
  return `${String(verified)} verified${records === 0 ? '' : `; of the log's records ${String(records)} are by keys that were revoked since: ${parts.join(', ')}`}`;
}

/** The signatures that were verified now, and the records of revoked keys in the whole reading. */
interface SignatureResult extends RevokedKeyCounts {
  readonly verified: number;
}

interface LogInput {
  readonly source: LogSource;
  readonly newest: SignedCheckpoint;
  readonly trust: Trust;
}

/** Reads the records after the state. Returns their number, and the result of verifying their signatures. */
async function verifyRecords(
  context: Context,
  { state: path, signatures }: VerifyLogOptions,
  { source, newest, trust }: LogInput,
): Promise<{ read: number; found: SignatureResult | null }> {
  const before = path === undefined ? null : readState(path, newest.origin);
  if (path !== undefined && before !== null) await verifyStateGrowth(source, path, before, newest, trust);
  if (signatures && before?.hasSignatures === false) {
    throw new CliError(
      'state',
      `\`${path ?? ''}\`: the signatures of the ${String(before.frontier.size)} records that were read were not verified: name another file to read from the beginning, or give \`--no-signatures\` again`,
    );
  }
  const signed = { origin: newest.origin, keys: trust.termsOf(newest.note).keys };
  const count: SignatureCount | null = signatures
    ? { verified: 0, tally: new SigningTally(signed.origin, signed.keys, before?.keys ?? NO_KEYS) }
    : null;
  const keysNow = (): KeyState => count?.tally.state ?? NO_KEYS;
  const hasSignatures = signatures && before?.hasSignatures !== false;
  let savedSize = before?.frontier.size ?? 0;
  const onRead = (frontier: Frontier): void => {
    context.showProgress?.(progressLine(frontier.size, newest.treeSize));
    if (path === undefined || frontier.size - savedSize < SAVE_EVERY) return;
    saveState(path, newest.origin, {
      frontier,
      checkpoint: before?.checkpoint ?? null,
      hasSignatures,
      keys: keysNow(),
    });
    savedSize = frontier.size;
  };
  try {
    const frontier = await readLog({
      source,
      checkpoint: newest,
      from: before?.frontier ?? EMPTY_FRONTIER,
      onRead,
      verifySignatures: count === null ? null : (leaves, first) => verifySignatures(leaves, first, signed, count),
    });
    if (path !== undefined)
      saveState(path, newest.origin, { frontier, checkpoint: newest.note, hasSignatures, keys: keysNow() });
  } finally {
    context.showProgress?.('');
  }
  return {
    read: newest.treeSize - (before?.frontier.size ?? 0),
    found: count === null ? null : { verified: count.verified, ...count.tally.conclude() },
  };
}

/** The log must have grown from the state's checkpoint, and include everything that was read. */
async function verifyStateGrowth(
  source: LogSource,
  path: string,
  { frontier, checkpoint }: ReadingState,
  newest: SignedCheckpoint,
  trust: Trust,
): Promise<void> {
  if (checkpoint !== null)
    await verifyGrowth(source, readSavedCheckpoint(checkpoint, trust, `the checkpoint in \`${path}\``), newest);
  if (frontier.size > newest.treeSize)
    throw new CliError(
      'verify.consistency',
      `the log has ${String(newest.treeSize)} records, and ${String(frontier.size)} of it were read before (\`${path}\`)`,
    );
}

/**
 * @throws CliError `verify.consistency`, with both checkpoints: two contradictory checkpoints prove that their signer
 * showed two histories
 */
async function verifyGrowth(source: LogSource, earlier: SignedCheckpoint, newest: SignedCheckpoint): Promise<void> {
  const contradiction = (what: string): CliError =>
    new CliError('verify.consistency', `${what}. Keep both as evidence:\n\n${earlier.note}\n${newest.note}`);
  if (earlier.origin !== newest.origin)
    throw new CliError('verify.consistency', `the checkpoint that was kept is of another log, \`${earlier.origin}\``);
  if (earlier.treeSize > newest.treeSize) throw contradiction('the log is smaller than it was');
  try {
    const hashes = await source.consistency(earlier.treeSize, newest.treeSize);
    verifyConsistency({
      oldSize: earlier.treeSize,
      oldRoot: earlier.root,
      newSize: newest.treeSize,
      newRoot: newest.root,
      hashes,
    });
  } catch (error) {
    if (!(error instanceof MerkleError || error instanceof SignatureError)) throw error;
    throw contradiction('the log does not begin with the one that was kept');
  }
}
