// SPDX-License-Identifier: Apache-2.0
import {
  appendLeaves,
  entryBundlePath,
  isSameHash,
  leafHash,
  MerkleError,
  parseEntryBundle,
  rootOfFrontier,
  signaturesPath,
  TILE_WIDTH,
  tileWidth,
  type Frontier,
} from '@writ/merkle';
import type { SignedLeaf } from '@writ/receipt';
import { CliError } from '../cli-error.ts';
import type { LogSource } from './log-source.ts';
import { parseSignatures } from './parse-signatures.ts';
import type { SignedCheckpoint } from './read-checkpoint.ts';

export interface Reading {
  readonly source: LogSource;
  readonly checkpoint: SignedCheckpoint;
  /** what was read before: the empty frontier for nothing */
  readonly from: Frontier;
  /**
   * Rejects unless these leaves, which begin at index `first`, are signed correctly. Null where signatures aren't
   * requested: then none is fetched.
   */
  readonly verifySignatures: ((leaves: readonly SignedLeaf[], first: number) => Promise<void>) | null;
  /** called after each bundle */
  readonly onRead: (frontier: Frontier) => void;
}

/** The records of a bundle that were not read before. */
interface Bundle {
  readonly payloads: readonly Uint8Array[];
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/**
 * Reads the records of a log from a frontier up to the checkpoint, bundle by bundle, and compares the root. The next
 * bundle is fetched while one is verified, so memory holds at most two bundles of a log of any length.
 *
 * @throws CliError `verify.root`, or the rejection of `verifySignatures`
 */
export async function readLog(reading: Reading): Promise<Frontier> {
  const {
    checkpoint: { treeSize, root },
    from,
    verifySignatures,
    onRead,
  } = reading;
  let frontier = from;
  let next = fetchBundle(reading, from.size);
  while (frontier.size < treeSize) {
    const { payloads, signatures } = await next;
    const grown = appendLeaves(frontier, payloads.map(leafHash));
    next = fetchBundle(reading, grown.size);
    // If this bundle fails, nothing awaits the next one, and its rejection must not end the process.
    next.catch(() => undefined);
    await verifySignatures?.(
      payloads.map((payload, i) => ({ payload, keyid: '', sig: '', ...signatures[i] })),
      frontier.size,
    );
    frontier = grown;
    onRead(frontier);
  }
  if (isSameHash(rootOfFrontier(frontier), root)) return frontier;
  throw new CliError(
    'verify.root',
    `the records that were given are not those that the checkpoint was signed over${from.size === 0 ? '' : `, or the ${String(from.size)} that were read before are not: read from the beginning to know`}`,
  );
}

/** The rest of the bundle that holds a record, from that record on; empty at the log's end. */
async function fetchBundle(
  { source, checkpoint: { treeSize }, verifySignatures }: Reading,
  first: number,
): Promise<Bundle> {
  const index = Math.floor(first / TILE_WIDTH);
  const width = tileWidth(0, index, treeSize);
  if (first >= treeSize) return { payloads: [], signatures: [] };
  const [path, signed] = [entryBundlePath(index, width), signaturesPath(index, width)];
  const [entries, signatures] = await Promise.all([
    source.file(path),
    verifySignatures === null ? null : source.file(signed),
  ]);
  const skipped = first - index * TILE_WIDTH;
  return {
    payloads: recordsOf(path, entries, width).slice(skipped),
    signatures: signatures === null ? [] : parseSignatures(signed, signatures, width).slice(skipped),
  };
}

function recordsOf(path: string, bytes: Uint8Array, width: number): Uint8Array[] {
  try {
    return parseEntryBundle(bytes, width);
  } catch (error) {
    if (!(error instanceof MerkleError)) throw error;
    throw new CliError('verify.root', `\`${path}\` is no bundle of ${String(width)} records`);
  }
}
