// SPDX-License-Identifier: Apache-2.0
import { createHash, type Hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { McpAccess } from './access.ts';

/** What a client sends back when it repeats a request: the operation that its first round made. */
export interface HeldState {
  readonly operation_id: string;
  /** a digest of the request that made it; no other request may be answered with its result */
  readonly of: string;
  /** the operation ended with a question of its server, which the client is to answer; absent: it was held */
  readonly asks?: true;
  /** the operation was refused, and its person has a page at which to connect: the id of that connection */
  readonly connection?: string;
  /** the digest of the settings of the server that asks, or that the answers are for; absent: it may ask nothing */
  readonly server?: string;
  /** the operation follows another, so its idempotency key is of Writ's; absent: its client made it */
  readonly follows?: true;
  /** what the operation took to its server of the answers of its client; absent: nothing */
  readonly answers?: GivenAnswers;
}

/** What a call takes to its server of the answers of its client. */
export interface GivenAnswers {
  /** the operation that ended with the question; null: the client was not asked */
  readonly question: string | null;
  /** by the names of what was asked */
  readonly responses: Readonly<Record<string, unknown>>;
}

/** What is asked for: everything by which one request differs from another. JSON only. */
export type Asked = Readonly<Record<string, unknown>>;

/** What a request asks for at its address. A state of another method, workspace or mount is of another request. */
export const askedAt = (
  { workspaceId, server }: Pick<McpAccess, 'workspaceId' | 'server'>,
  method: string,
  asked: Asked,
): Asked => ({ ...asked, method, workspace: workspaceId, mount: server });

/** Values that are digested before other requests get a turn, and the characters that take as long as one value. */
const [VALUES_AT_ONCE, CHARS_OF_ONE] = [1_000, 256];
/** Characters of a part of a text. */
const CHARS_AT_ONCE = CHARS_OF_ONE * VALUES_AT_ONCE;

/**
 * A digest of what is asked for, which is attacker-controlled: the same for objects whose members are in another order.
 * Long arguments are digested in parts, so that they don't hold up the event loop.
 */
export async function digestOfAsked(asked: Asked): Promise<string> {
  const hash = createHash('sha256');
  let done = 0;
  for (const values of digested(hash, asked)) {
    done += values;
    if (done < VALUES_AT_ONCE) continue;
    done = 0;
    await setImmediate();
  }
  return hash.digest('base64url');
}

/**
 * Digests a value, and yields after each part how many values it took the time of. The depth is bounded, because the
 * parser of bodies bounds it.
 */
function* digested(hash: Hash, value: unknown): Generator<number> {
  yield 1;
  if (typeof value === 'string') return yield* text(hash, value);
  if (typeof value !== 'object' || value === null) {
    hash.update(`${JSON.stringify(value) ?? 'null'},`);
    return;
  }
  const isList = Array.isArray(value);
  const members = isList ? value.entries() : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  hash.update(isList ? '[' : '{');
  for (const [name, member] of members) {
    if (typeof name === 'string') yield* text(hash, name);
    yield* digested(hash, member);
  }
  hash.update(isList ? ']' : '}');
}

/** The length goes first, so that no text is mistaken for the end of itself and what follows. */
function* text(hash: Hash, value: string): Generator<number> {
  hash.update(`"${value.length}:`);
  for (let at = 0; at < value.length; at += CHARS_AT_ONCE) {
    // UTF-16, because UTF-8 has no code for a half of a pair that the cut separates.
    const part = value.slice(at, at + CHARS_AT_ONCE);
    hash.update(Buffer.from(part, 'utf16le'));
    yield Math.ceil(part.length / CHARS_OF_ONE);
  }
}
