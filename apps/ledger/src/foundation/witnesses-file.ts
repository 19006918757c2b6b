// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { parseMessage } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { parseCosignerKey, type NoteKey } from '@writ/signing';
import { Type } from 'typebox';

/** The most witnesses: each gets a request for each checkpoint of each log. */
const WITNESSES_MAX = 16;
const FILE_BYTES_MAX = 64 * 1024;

const closed = { additionalProperties: false } as const;
const WitnessesFile = Type.Object(
  {
    witnesses: Type.Array(Type.Object({ url: Type.String(), key: Type.String() }, closed), {
      minItems: 1,
      maxItems: WITNESSES_MAX,
    }),
  },
  closed,
);

/** The address and key of a witness. */
export interface WitnessAddress {
  /** C2SP's submission prefix, with a slash at its end */
  readonly url: string;
  readonly key: NoteKey;
}

/**
 * Reads WRIT_WITNESSES_FILE: `{"witnesses":[{"url","key"}]}`, whose keys are as `writ witness key` prints them. Throws
 * on anything else, and on a quorum that they can't reach, so that a ledger with a wrong configuration doesn't start.
 */
export function readWitnesses(path: string, quorum: number): WitnessAddress[] {
  const { witnesses } = parseMessage(
    WitnessesFile,
    parseIJson(readFileSync(path), { depthMax: 3, bytesMax: FILE_BYTES_MAX }),
  );
  const read = witnesses.map(({ url, key }) => ({ url: prefixOf(url), key: parseCosignerKey(key) }));
  if (new Set(read.map(({ key }) => key.verifier.keyid)).size < read.length)
    throw new Error(`WRIT_WITNESSES_FILE \`${path}\` has one key twice: it would be counted twice`);
  if (quorum > read.length)
    throw new Error(
      `WRIT_WITNESS_QUORUM is ${quorum}, and WRIT_WITNESSES_FILE \`${path}\` has ${read.length} witnesses`,
    );
  return read;
}

function prefixOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`WRIT_WITNESSES_FILE: \`${text}\` is no http address`);
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}
