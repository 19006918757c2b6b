// SPDX-License-Identifier: Apache-2.0
//
// Where a log is read from. All of its data is attacker-controlled until a root is computed from it, or a proof is
// verified.
import { Consistency } from '@writ/contract';
import { ENTRY_BYTES_MAX, TILE_WIDTH } from '@writ/merkle';
import { decodeBase64 } from '@writ/signing';
import { CliError } from '../cli-error.ts';
import type { Client } from '../http/client.ts';

/** The size of a full bundle whose entries all have the maximum length. No file of a log is longer. */
const FILE_BYTES_MAX = TILE_WIDTH * (2 + ENTRY_BYTES_MAX);

/** A server, or a copy on disk. */
export interface LogSource {
  /** the newest checkpoint */
  checkpoint(): Promise<string>;
  /**
   * The bytes at a path of C2SP tlog-tiles, such as `tile/entries/000`, or of the signatures beside it, such as
   * `signatures/000`.
   * @throws CliError where there are none
   */
  file(path: string): Promise<Uint8Array>;
  /** the hashes of the proof that the log of one size is a prefix of that of another (RFC 9162 §2.1.4.1) */
  consistency(from: number, to: number): Promise<Uint8Array[]>;
}

/** The log of the tenant of the client's key. */
export function serverSource(client: Client): LogSource {
  return {
    checkpoint: async () => await (await client.request('/v1/log/checkpoint')).text(),
    file: async (path) => await boundedBytes(await client.request(`/v1/log/${path}`), path),
    consistency: async (from, to) => {
      const { hashes } = await client.read(Consistency, `/v1/log/consistency?from=${String(from)}&to=${String(to)}`);
      return hashes.map((hash) => decodeBase64(hash));
    },
  };
}

/** Reads an answer up to the maximum length of a file of a log. */
async function boundedBytes(answer: Response, path: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of answer.body ?? []) {
    length += part.length;
    if (length > FILE_BYTES_MAX) throw new CliError('answer', `\`${path}\` is longer than any file of a log`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
