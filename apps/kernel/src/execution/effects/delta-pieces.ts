// SPDX-License-Identifier: Apache-2.0
//
// A delta as a thread serializes it, so that the event loop parses one piece at a time.
import { Fault, type Change, type Delta } from '@writ/contract';
import { canonicalJson, parseJson } from '@writ/digest';
import { isMadeAgain } from '@writ/effect';
import { pacer } from '@writ/worker-pool';
import { parseDelta } from '@writ/workspace';

/** A delta as text, with the positions of its pieces. */
export interface DeltaPieces {
  readonly base: string;
  /** its RFC 8785 JSON */
  readonly bytes: Uint8Array;
  /** where pieces of the list of changes begin and end in it: changes without the brackets of the list */
  readonly pieces: readonly (readonly [from: number, to: number])[];
}

/** Text up to this size is read on the event loop: the worst takes 5 ms. */
export const INLINE_BYTES_MAX = 16 * 1024;
/** The worst of 16 MiB takes 2 s on a free processor; this is for a busy one, in milliseconds. */
export const READ_WALL_MS = 15_000;

/** Changes of one piece: their reading takes half a millisecond. */
const PIECE_CHANGES = 250;

/** Serializes a delta. The time that it takes grows with the delta. */
export function writeInPieces(base: string, changes: Delta['changes']): DeltaPieces {
  // As `canonicalBytes` writes it: members by their names.
  const parts = [Buffer.from(`{"base":${canonicalJson(base)},"changes":[`)];
  const pieces: [number, number][] = [];
  let at = (parts[0] as Buffer).byteLength;
  for (let from = 0; from < changes.length; from += PIECE_CHANGES) {
    const piece = Buffer.from(
      changes
        .slice(from, from + PIECE_CHANGES)
        .map((change) => canonicalJson(change))
        .join(),
    );
    if (from > 0) at = parts.push(Buffer.from(',')) && at + 1;
    pieces.push([at, at + piece.byteLength]);
    at += piece.byteLength;
    parts.push(piece);
  }
  parts.push(Buffer.from('],"v":1}'));
  return { base, bytes: new Uint8Array(Buffer.concat(parts)), pieces };
}

/** Parses the changes of a delta, a slice of the event loop at a time. */
export async function parsePieces(written: DeltaPieces): Promise<Change[]> {
  const changes: Change[] = [];
  const pause = pacer();
  for (const piece of written.pieces) {
    await pause();
    changes.push(...changesOf(written, piece));
  }
  return changes;
}

/** Reads a stored delta. @throws Fault `effect.invalid` where it is no delta */
export function readWhole(bytes: Uint8Array): DeltaPieces {
  const { base, changes } = parseDelta(jsonOf(bytes));
  return writeInPieces(base, changes);
}

/**
 * The changes of a stored delta that count in a series: files that are generated again don't count, and an install
 * changes thousands of such files. @throws Fault `effect.invalid` where it is no delta
 */
export function readLasting(bytes: Uint8Array): DeltaPieces {
  const { base, changes } = parseDelta(jsonOf(bytes));
  return writeInPieces(
    base,
    changes.filter(({ path }) => !isMadeAgain(path)),
  );
}

/**
 * Parses JSON whose fields are then read one by one: a duplicate key doesn't matter, since only the parsed value is
 * checked, hashed and stored. @throws Fault `effect.invalid`
 */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Fault('effect.invalid', 'the effect is not JSON', { cause });
  }
}

function changesOf({ bytes }: DeltaPieces, [from, to]: DeltaPieces['pieces'][number]): Delta['changes'] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
  return parseJson(`[${text}]`) as Delta['changes'];
}
