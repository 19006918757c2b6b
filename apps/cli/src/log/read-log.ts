// SPDX-License-Identifier: Apache-2.0
import { appendLeaves, entryBundlePath, isSameHash, leafHash, MerkleError, parseEntryBundle, rootOfFrontier, TILE_WIDTH, tileWidth, type Frontier } from '@writ/merkle';
import { CliError } from '../cli-error.ts';
import type { LogSource } from './log-source.ts';
import type { SignedCheckpoint } from './read-checkpoint.ts';

export interface Reading {
  readonly source: LogSource;
  readonly checkpoint: SignedCheckpoint;
  /** what was read before: the empty frontier for nothing */
  readonly from: Frontier;
  /** told after each bundle */
  readonly onRead: (frontier: Frontier) => void;
}

/**
 * Reads the records of a log from where a reading stands to the checkpoint, bundle after bundle, so that a log of any length needs no more memory than one, and
 * compares the root.
 *
 * @throws CliError `verify.root`
 */
export async function readLog({ source, checkpoint: { treeSize, root }, from, onRead }: Reading): Promise<Frontier> {
  let frontier = from;
  while (frontier.size < treeSize) {
    const index = Math.floor(frontier.size / TILE_WIDTH);
    const width = tileWidth(0, index, treeSize);
    const path = entryBundlePath(index, width);
    const records = recordsOf(path, await source.file(path), width).slice(frontier.size - index * TILE_WIDTH);
    frontier = appendLeaves(frontier, records.map(leafHash));
    onRead(frontier);
  }
  if (isSameHash(rootOfFrontier(frontier), root)) return frontier;
  throw new CliError('verify.root', `the records that were given are not those that the checkpoint was signed over${from.size === 0 ? '' : `, or the ${String(from.size)} that were read before are not: read from the beginning to know`}`);
}

function recordsOf(path: string, bytes: Uint8Array, width: number): Uint8Array[] {
  try {
    return parseEntryBundle(bytes, width);
  } catch (error) {
    if (!(error instanceof MerkleError)) throw error;
    throw new CliError('verify.root', `\`${path}\` is no bundle of ${String(width)} records`);
  }
}
