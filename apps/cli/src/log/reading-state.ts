// SPDX-License-Identifier: Apache-2.0
//
// How far a log was read, so that the next reading goes on from there. INVARIANT (a state proves nothing): the root
// that is compared with the signed one is computed from the state and what was read after it. A state that isn't that
// of the log's first records leads to another root, whoever wrote it; the worst that a forged one does is to spare
// reading records, and verifying their signatures.
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
    /** base64 of what libs/merkle encodes */
    frontier: Type.String(),
    /** the note of the log that was last read to its end; null while the first reading is under way */
    checkpoint: Type.Union([Type.String(), Type.Null()]),
    /** the signatures of what was read were verified too; left out where they weren't */
    signatures: Type.Optional(Type.Literal(true)),
    /** who signed what was read, where signatures were verified */
    keys: Type.Optional(
      Type.Array(
        Type.Object(
          { keyid: Type.String(), records: Count, last_leaf: Count, latest_at: Count, latest_leaf: Count },
          { additionalProperties: false },
        ),
      ),
    ),
    /** of which keys the log says that they were revoked */
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
  /** Of each record that was read, the signature was verified. */
  readonly hasSignatures: boolean;
  /** Nothing where signatures weren't verified, or by a version that didn't count. */
  readonly keys: KeyState;
}

/** Of nothing, every signature was verified. */
const UNREAD: ReadingState = { frontier: EMPTY_FRONTIER, checkpoint: null, hasSignatures: true, keys: NO_KEYS };

/**
 * Reads the state of this log; of a file that isn't there, that nothing was read.
 * @throws CliError `state` for one that can't be read, or is of another log
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
        // Of keys of records alone, whose place decides and no date.
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

/** Keeps it, whole. */
export function keepState(
  path: string,
  origin: string,
  { frontier, checkpoint, hasSignatures, keys }: ReadingState,
): void {
  writeWhole(
    path,
    `${JSON.stringify({ v: 1, origin, frontier: encodeBase64(encodeFrontier(frontier)), checkpoint, ...(hasSignatures ? { signatures: true } : {}), ...writtenKeys(keys) })}\n`,
  );
}

function writtenKeys({ tallies, revocations }: KeyState): object {
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
