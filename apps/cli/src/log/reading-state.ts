// SPDX-License-Identifier: Apache-2.0
//
// How far a log was read, so that the next reading can resume. INVARIANT (a state proves nothing): the root that is
// compared with the signed one is computed from the state and the records after it. A state that doesn't match the
// log's first records leads to another root, whoever wrote it. At worst, a forged state skips reading old records and
// verifying their signatures.
import { existsSync, readFileSync } from 'node:fs';
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { EMPTY_FRONTIER, encodeFrontier, parseFrontier, type Frontier } from '@writ/merkle';
import { decodeBase64, encodeBase64 } from '@writ/signing';
import { Type } from 'typebox';
import { CliError } from '../cli-error.ts';
import { writeWhole } from '../write-whole.ts';
import { NO_KEYS, type KeyState } from './signing-tally.ts';

/** A frontier has 53 roots at most, a checkpoint a hundred signatures, a deployment a thousand keys. */
const STATE_BYTES_MAX = 512 * 1024;
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const StateFile = Type.Object(
  {
    v: Type.Literal(1),
    origin: Type.String(),
    /** base64 of the encoding of libs/merkle */
    frontier: Type.String(),
    /** the note of the log that was last read to its end; null while the first reading is under way */
    checkpoint: Type.Union([Type.String(), Type.Null()]),
    /** the signatures of the records read so far were verified too; absent where they weren't */
    signatures: Type.Optional(Type.Literal(true)),
    /** which keys signed the records read so far, where signatures were verified */
    keys: Type.Optional(
      Type.Array(
        Type.Object(
          { keyid: Type.String(), records: Count, last_leaf: Count, latest_at: Count, latest_leaf: Count },
          { additionalProperties: false },
        ),
      ),
    ),
    /** the keys that are revoked according to the log */
    revocations: Type.Optional(
      Type.Array(
        Type.Object(
          { keyid: Type.String(), leaf_index: Count, signed_by: Type.String() },
          { additionalProperties: false },
        ),
      ),
    ),
  },
  { additionalProperties: false },
);

export interface ReadingState {
  readonly frontier: Frontier;
  readonly checkpoint: string | null;
  /** Whether the signature of every record read so far was verified. */
  readonly hasSignatures: boolean;
  /** Empty where signatures weren't verified, or in states of a version that didn't count. */
  readonly keys: KeyState;
}

/** Nothing is read yet, so no signature is unverified. */
const UNREAD: ReadingState = { frontier: EMPTY_FRONTIER, checkpoint: null, hasSignatures: true, keys: NO_KEYS };

/**
 * Reads the state of this log; a missing file means that nothing was read.
 * @throws CliError `state` for a file that can't be read, or is of another log
 */
export function readState(path: string, origin: string): ReadingState {
  if (!existsSync(path)) return UNREAD;
  const state = parseState(path);
  if (state.origin !== origin)
    throw new CliError(
      'state',
      `\`${path}\` is of the log \`${state.origin}\`, and this one is \`${origin}\`: name another file`,
    );
  return state;
}

function parseState(path: string): ReadingState & { origin: string } {
  try {
    const {
      origin,
      frontier,
      checkpoint,
      signatures,
      keys = [],
      revocations = [],
    } = parseMessage(StateFile, parseIJson(readFileSync(path), { depthMax: 4, bytesMax: STATE_BYTES_MAX }));
    return {
      origin,
      frontier: parseFrontier(decodeBase64(frontier)),
      checkpoint,
      hasSignatures: signatures === true,
      keys: {
        tallies: keys.map(({ keyid, records, last_leaf, latest_at, latest_leaf }) => ({
          keyid,
          records,
          lastLeaf: last_leaf,
          latestAt: latest_at,
          latestLeaf: latest_leaf,
        })),
        // Revocations of record keys only: these are judged by their position in the log, not by a date.
        revocations: revocations.map(({ keyid, leaf_index, signed_by }) => ({
          purpose: 'record' as const,
          origin,
          keyid,
          leafIndex: leaf_index,
          signedBy: signed_by,
          from: 0,
        })),
      },
    };
  } catch (cause) {
    throw new CliError(
      'state',
      `\`${path}\` is no state of a reading: name another file, or delete it and read from the beginning`,
      undefined,
      { cause },
    );
  }
}

/** Writes the state atomically. */
export function saveState(
  path: string,
  origin: string,
  { frontier, checkpoint, hasSignatures, keys }: ReadingState,
): void {
  writeWhole(
    path,
    `${JSON.stringify({ v: 1, origin, frontier: encodeBase64(encodeFrontier(frontier)), checkpoint, ...(hasSignatures ? { signatures: true } : {}), ...serializeKeys(keys) })}\n`,
  );
}

function serializeKeys({ tallies, revocations }: KeyState): object {
  return {
    ...(tallies.length === 0
      ? {}
      : {
          keys: tallies.map(({ keyid, records, lastLeaf, latestAt, latestLeaf }) => ({
            keyid,
            records,
            last_leaf: lastLeaf,
            latest_at: latestAt,
            latest_leaf: latestLeaf,
          })),
        }),
    ...(revocations.length === 0
      ? {}
      : {
          revocations: revocations.map(({ keyid, leafIndex, signedBy }) => ({
            keyid,
            leaf_index: leafIndex,
            signed_by: signedBy,
          })),
        }),
  };
}
