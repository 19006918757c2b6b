// SPDX-License-Identifier: Apache-2.0
import { appendLeaves, EMPTY_FRONTIER, entryBundlePath, isSameHash, leafHash, MerkleError, parseEntryBundle, rootOfFrontier, TILE_WIDTH, tileWidth, verifyConsistency, type Frontier } from '@writ/merkle';
import { Consistency } from '@writ/contract';
import { decodeBase64, SignatureError } from '@writ/signing';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { readNamedFile } from '../read-named-file.ts';
import { fieldsOf } from '../terminal.ts';
import { readCheckpoint, readKeySet, type SignedCheckpoint } from './read-checkpoint.ts';

interface VerifyLogOptions extends CommonOptions {
  readonly keys: string;
  readonly since?: string;
}

/** `writ log verify --keys FILE [--since FILE]`. */
export function verifyLogCommand(context: Context): Command {
  const command = new Command('verify')
    .description('Reads every record of the log, computes the root and compares it with the signed checkpoint; whoever computes it needn\'t trust the server.')
    .requiredOption('--keys <file>', 'the public keys (writ-keys.json)')
    .option('--since <file>', 'a checkpoint that was kept: the log must have grown from it');
  return command.action(async () => {
    const options = command.optsWithGlobals<VerifyLogOptions>();
    const keys = readKeySet(options.keys);
    const { client } = connect(context, options, 'operator');
    const newest = readCheckpoint(await (await client.ask('/v1/log/checkpoint')).text(), keys, 'the newest checkpoint');
    const kept = options.since === undefined ? null : readCheckpoint(readNamedFile(options.since, '--since').toString('utf8'), keys, `\`${options.since}\``);
    if (kept !== null) await verifyGrowth(client, kept, newest);
    await verifyRoot(client, newest);
    const verified = { origin: newest.origin, tree_size: newest.treeSize, root: Buffer.from(newest.root).toString('base64'), since: kept?.treeSize ?? null };
    show(context, options, { ok: true, ...verified }, () => fieldsOf({ log: verified.origin, records: verified.tree_size, root: verified.root, 'grown from': verified.since }));
  });
}

/** @throws CliError `verify.consistency`, with both checkpoints: two that contradict each other prove that their signer showed two histories */
async function verifyGrowth(client: Client, kept: SignedCheckpoint, newest: SignedCheckpoint): Promise<void> {
  const contradiction = (what: string): CliError => new CliError('verify.consistency', `${what}. Keep both as evidence:\n\n${kept.note}\n${newest.note}`);
  if (kept.origin !== newest.origin) throw new CliError('verify.consistency', `the checkpoint that was kept is of another log, \`${kept.origin}\``);
  if (kept.treeSize > newest.treeSize) throw contradiction('the log is smaller than it was');
  const { hashes } = await client.read(Consistency, `/v1/log/consistency?from=${String(kept.treeSize)}&to=${String(newest.treeSize)}`);
  try {
    verifyConsistency({ oldSize: kept.treeSize, oldRoot: kept.root, newSize: newest.treeSize, newRoot: newest.root, hashes: hashes.map((hash) => decodeBase64(hash)) });
  } catch (error) {
    if (!(error instanceof MerkleError || error instanceof SignatureError)) throw error;
    throw contradiction('the log does not begin with the one that was kept');
  }
}

/** Reads bundle after bundle, so that a log of any length needs no more memory than one. @throws CliError `verify.root` */
async function verifyRoot(client: Client, { treeSize, root }: SignedCheckpoint): Promise<void> {
  let frontier: Frontier = EMPTY_FRONTIER;
  for (let index = 0; index * TILE_WIDTH < treeSize; index += 1) {
    const path = entryBundlePath(index, tileWidth(0, index, treeSize));
    frontier = appendLeaves(frontier, recordsOf(path, await (await client.ask(`/v1/log/${path}`)).bytes(), tileWidth(0, index, treeSize)).map(leafHash));
  }
  if (!isSameHash(rootOfFrontier(frontier), root)) throw new CliError('verify.root', 'the records that the server gives are not those that the checkpoint was signed over');
}

function recordsOf(path: string, bytes: Uint8Array, width: number): Uint8Array[] {
  try {
    return parseEntryBundle(bytes, width);
  } catch (error) {
    if (!(error instanceof MerkleError)) throw error;
    throw new CliError('verify.root', `\`${path}\` is no bundle of ${String(width)} records`);
  }
}
