// SPDX-License-Identifier: Apache-2.0
// Bodies that an API answers with, which are attacker-controlled: a thread reads one that is long.
import { jsonOf } from '../calls/api-tasks.ts';
import type { RunContext } from '../calls/runner.ts';
import { encodeBody, type Body } from './read-body.ts';

/** A body as the result has it. */
export interface ApiBody {
  /** the JSON that came, the text, the bytes in base64, or null for none */
  readonly body: unknown;
  readonly encoding: 'json' | 'utf8' | 'base64' | 'none';
}

/** Bodies of this length take some milliseconds: longer ones go to a thread. */
const INLINE_CHARS_MAX = 32 * 1024;
/** Several times what the longest body takes on a busy machine. */
const READ_MS = 10_000;

/** Reads a body by its media type: as JSON where it says so and is, else as text or bytes. */
export async function readApiBody(
  received: Body,
  media: string | undefined,
  work: RunContext['work'],
): Promise<ApiBody> {
  if (received.bytes.length === 0) return { body: null, encoding: 'none' };
  const encoded = encodeBody(received);
  if (encoded.encoding !== 'utf8' || received.truncated || !isJson(media)) return encoded;
  const { body: text } = encoded;
  const read = text.length <= INLINE_CHARS_MAX ? jsonOf(text) : await work.run('api.body', text, READ_MS);
  return read === null ? encoded : { body: read.json, encoding: 'json' };
}

/** `application/json`, and types that end in `+json` (RFC 6839 §3.1). */
const isJson = (media: string | undefined): boolean =>
  /^application\/(?:[a-z0-9.+_-]+\+)?json\s*(?:;|$)/i.test(media ?? '');
