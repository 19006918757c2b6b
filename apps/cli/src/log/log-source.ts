// SPDX-License-Identifier: Apache-2.0
//
// Where a log is read from. Everything that comes from there is attacker-controlled until a root was computed from it,
// or a proof verified.
import { Consistency } from '@writ/contract';
import { ENTRY_BYTES_MAX, TILE_WIDTH } from '@writ/merkle';
import { decodeBase64 } from '@writ/signing';
import { CliError } from '../cli-error.ts';
import type { Client } from '../http/client.ts';

/** A full bundle whose entries are all as long as the format allows: longer can be nothing of a log. */
const FILE_BYTES_MAX = TILE_WIDTH * (2 + ENTRY_BYTES_MAX);

/** A server, or a copy on disk. */
export interface LogSource {
  /** the newest checkpoint that it has */
  checkpoint(): Promise<string>;
  /**
   * The bytes at a path of C2SP tlog-tiles, as `tile/entries/000`, or of the signatures beside it, as `signatures/000`.
   * @throws CliError where there is none
   */
  file(path: string): Promise<Uint8Array>;
  /** the hashes of the proof that the log of one size begins with that of another (RFC 9162 §2.1.4.1) */
  consistency(from: number, to: number): Promise<Uint8Array[]>;
}

/** The log of the tenant whose key the client has. */
export function serverSource(client: Client): LogSource {
  return {
    checkpoint: async () => await (await client.ask('/v1/log/checkpoint')).text(),
    file: async (path) => await boundedBytes(await client.ask(`/v1/log/${path}`), path),
    consistency: async (from, to) => {
      const { hashes } = await client.read(Consistency, `/v1/log/consistency?from=${String(from)}&to=${String(to)}`);
      return hashes.map((hash) => decodeBase64(hash));
    },
  };
}

/** Reads what a server sends no further than a file of a log can be long. */
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
