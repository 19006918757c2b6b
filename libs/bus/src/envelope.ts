// SPDX-License-Identifier: Apache-2.0
import { Fault, isFaultCode } from '@writ/contract';
import { parseJson } from '@writ/digest';

/**
 * Limit on a message's payload, in bytes. The server allows 1 MiB including headers (its default in every deployment),
 * so 16 KiB are left for headers. Our largest message is a batch of records, 512 KiB.
 */
export const messageBytesMax = 1_048_576 - 16_384;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

/**
 * Encodes a payload as JSON.
 * @throws Fault `request.too_large`; a value that isn't JSON is a bug and throws a plain Error.
 */
export function encodePayload(payload: unknown): Uint8Array {
  const text = JSON.stringify(payload ?? null);
  if (text === undefined) throw new Error('the payload is not JSON');
  const bytes = encoder.encode(text);
  if (bytes.byteLength > messageBytesMax) {
    throw new Fault('request.too_large', `the message has ${bytes.byteLength} bytes, ${messageBytesMax} are allowed`);
  }
  return bytes;
}

/** Parses a payload. An empty one is null. @throws Fault `request.malformed` when it isn't JSON in UTF-8. */
export function parsePayload(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return null;
  try {
    return parseJson(utf8.decode(bytes));
  } catch (cause) {
    throw new Fault('request.malformed', 'the message is not JSON', { cause });
  }
}

/** Encodes a handler's value: `{ok}`. */
export function encodeOk(value: unknown): Uint8Array {
  return encodePayload({ ok: value ?? null });
}

/** Encodes the error of a handler: `{fault}`. Any error but a Fault becomes `internal`, and its text is not sent. */
export function encodeFault(error: unknown): Uint8Array {
  if (!(error instanceof Fault)) return encodePayload({ fault: { code: 'internal' } });
  return encodePayload({ fault: { code: error.code, detail: error.detail, pointer: error.pointer } });
}

/**
 * Parses an answer: returns the value or throws the Fault in it. A code that this version doesn't have becomes
 * `internal`.
 */
export function parseReply(bytes: Uint8Array): unknown {
  const reply = parsePayload(bytes);
  if (typeof reply !== 'object' || reply === null)
    throw new Fault('internal', undefined, { cause: new Error('the reply has no envelope') });
  if ('ok' in reply) return reply.ok;
  throw parseFault('fault' in reply ? reply.fault : undefined);
}

function parseFault(value: unknown): Fault {
  const { code, detail, pointer } = (value ?? {}) as Record<string, unknown>;
  if (!isFaultCode(code))
    return new Fault('internal', undefined, { cause: new Error(`unknown fault code \`${String(code)}\``) });
  const text = (candidate: unknown): string | undefined => (typeof candidate === 'string' ? candidate : undefined);
  return new Fault(code, text(detail), { pointer: text(pointer) });
}
