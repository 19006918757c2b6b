// SPDX-License-Identifier: Apache-2.0
// What OnnxEmbedder and its process say to each other, as JSON in the messages of `@writ/engine-process`.
import { parseJson } from '@writ/digest';
import { EmbeddingError } from '@writ/embedding';
import type { ReceivedMessage } from '@writ/engine-process';

export interface EngineRequest {
  readonly texts: readonly string[];
}

/** The bytes of `vectors` are their numbers, one vector after another. The process ends after `failed`. */
export type EngineReply =
  | { readonly type: 'ready' }
  | { readonly type: 'vectors' }
  | { readonly type: 'failed'; readonly reason: 'missing' | 'malformed'; readonly message: string };

const MESSAGE_CHARS_MAX = 500;

/**
 * The bytes of the reply of that type. The process has read attacker-controlled text, so that it may say anything.
 * @throws EmbeddingError of the process, or `malformed` for what is no reply or another one
 */
export function parseReply({ text, bytes }: ReceivedMessage, type: 'ready' | 'vectors'): Uint8Array {
  const reply = membersOf(text);
  if (reply['type'] === type) return bytes;
  const { reason, message } = reply;
  if (reply['type'] === 'failed' && (reason === 'missing' || reason === 'malformed') && typeof message === 'string')
    throw new EmbeddingError(reason, message.slice(0, MESSAGE_CHARS_MAX));
  throw other();
}

/** The vectors of a reply's bytes. @throws EmbeddingError `malformed` for other bytes than those of that many */
export function parseVectors(bytes: Uint8Array, count: number, dimensions: number): Float32Array[] {
  const bytesPerVector = dimensions * Float32Array.BYTES_PER_ELEMENT;
  if (bytes.length !== count * bytesPerVector) throw other();
  // A copy, since the bytes of a message may begin anywhere, and vectors of floats begin at a multiple of four.
  const { buffer } = Uint8Array.from(bytes);
  const vectors = Array.from({ length: count }, (_, n) => new Float32Array(buffer, n * bytesPerVector, dimensions));
  if (!vectors.every((vector) => vector.every(Number.isFinite))) throw other();
  return vectors;
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return (parseJson(text) ?? {}) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new EmbeddingError('malformed', 'the process of the model said what is no reply', { cause });
  }
}

const other = (): EmbeddingError =>
  new EmbeddingError('malformed', 'the process of the model answered something else than it was asked for');
