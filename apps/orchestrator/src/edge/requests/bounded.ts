// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { Fault } from '@writ/contract';
import { tooLarge } from './json-body.ts';

/**
 * Streams a body up to a limit in bytes. Faults: `request.too_large`; `request.malformed` for a body that breaks off.
 */
export async function* bounded(stream: Readable, bytesMax: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const part of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > bytesMax) throw tooLarge(bytesMax);
      yield part;
    }
  } catch (cause) {
    throw cause instanceof Fault
      ? cause
      : new Fault('request.malformed', 'the body ended before it was whole', { cause });
  }
}
