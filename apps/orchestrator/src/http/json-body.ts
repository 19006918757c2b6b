// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { Fault, LIMITS } from '@writ/contract';
import { JsonError, parseIJson, type JsonValue } from '@writ/digest';

/**
 * Reads a JSON body: attacker-controlled. Undefined where there is none.
 * Faults: `request.too_large` as soon as more than `bytesMax` came (the rest is read and dropped by the server), `request.malformed`.
 */
export async function readJsonBody(stream: Readable, bytesMax: number): Promise<JsonValue | undefined> {
  const bytes = await readBytes(stream, bytesMax);
  if (bytes.length === 0) return undefined;
  try {
    return parseIJson(bytes, { depthMax: LIMITS.argsDepth.max });
  } catch (error) {
    if (error instanceof JsonError) throw new Fault('request.malformed', error.message, { cause: error, ...(error.pointer === '' ? {} : { pointer: shortPointer(error.pointer) }) });
    throw error;
  }
}

/** The keys along a pointer are the caller's own and may be as long as the body. */
const POINTER_MAX = 256;
const shortPointer = (pointer: string): string => (pointer.length > POINTER_MAX ? `${pointer.slice(0, POINTER_MAX)}…` : pointer);

function readBytes(stream: Readable, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    stream.on('data', (part: Buffer) => {
      size += part.length;
      // Nothing is kept from here on; the rest flows past.
      if (size > bytesMax) {
        parts.length = 0;
        reject(tooLarge(bytesMax));
      } else parts.push(part);
    });
    stream.once('end', () => resolve(Buffer.concat(parts)));
    stream.once('error', (cause) => reject(new Fault('request.malformed', 'the body ended before it was whole', { cause })));
    stream.once('close', () => reject(new Fault('request.malformed', 'the body ended before it was whole')));
  });
}

export function tooLarge(bytesMax: number): Fault {
  return new Fault('request.too_large', `the body may have at most ${bytesMax} bytes here; larger contents are uploaded as files of a workspace`);
}
