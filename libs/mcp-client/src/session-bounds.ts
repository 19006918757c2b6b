// SPDX-License-Identifier: Apache-2.0
// What keeps a session within bounds, however it reaches its server. It runs on the event loop.
import { parseJson } from '@writ/digest';
import { McpError } from './mcp-error.ts';

/** The longest arguments of a call at six bytes a character, and what is around them. */
export const CALL_BYTES_MAX = 8 * 1_048_576;
/** Every other message is a few hundred bytes long, and a cursor may be some thousand. */
export const MESSAGE_BYTES_MAX = 65_536;

/** Of a session: several images, or thousands of pages of text. */
const RECEIVED_BYTES_MAX = 16 * 1_048_576;
/**
 * Each piece costs the event loop some time, however short it is. Streams of events have pieces of more bytes on
 * average, and a session may receive so many in any case: a server that says each second that it is there takes hours.
 */
const PIECES_FREE = 16_384;
const PIECE_BYTES_MIN = 64;

/** Counts what a server sends. INVARIANT (few pieces): it costs time by its bytes, and not by how it divides them. */
export class ReceivedBound {
  #bytes = 0;
  #pieces = 0;

  /** Counts a piece. Returns what is exceeded with it, or null. */
  count(bytes: number): 'too_large' | 'too_many_pieces' | null {
    this.#bytes += bytes;
    this.#pieces += 1;
    if (this.#bytes > RECEIVED_BYTES_MAX) return 'too_large';
    return this.#pieces > PIECES_FREE && this.#bytes < this.#pieces * PIECE_BYTES_MIN ? 'too_many_pieces' : null;
  }
}

const PING_MS = 1_000;
/** A thread that answers no ping for so long works on one message of the server, and may do so for hours. */
const PINGS_MAX = 5;
/** Several times what the largest session takes on a busy machine. */
const BUSY_MS_MAX = 20_000;

/** Sees that the thread of a session doesn't compute for longer than a session may. */
export class ThreadWatch {
  readonly #ping: () => void;
  readonly #onOverrun: () => void;
  readonly #timer: NodeJS.Timeout;
  /** pings without an answer; null until the thread has opened its end */
  #unanswered: number | null = null;

  /**
   * @param ping asks the thread for its answer to a ping
   * @param onOverrun The thread computes longer than it may. It may be called again.
   */
  constructor(ping: () => void, onOverrun: () => void) {
    this.#ping = ping;
    this.#onOverrun = onOverrun;
    this.#timer = setInterval(() => this.#turn(), PING_MS);
  }

  /** The thread has opened its end, and answers pings. */
  opened(): void {
    this.#unanswered = 0;
  }

  /** @param busyMs the time that the thread computed since it opened */
  answered(busyMs: number): void {
    this.#unanswered = 0;
    if (busyMs > BUSY_MS_MAX) this.#onOverrun();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Counted by turns of this event loop: one that was late itself has not waited for the thread. */
  #turn(): void {
    if (this.#unanswered === null) return;
    this.#unanswered += 1;
    if (this.#unanswered > PINGS_MAX) this.#onOverrun();
    else this.#ping();
  }
}

/** What the thread never asks for, unless a server brings it to that. */
export const strange = (what: string): McpError => new McpError('malformed', `the session wants to send ${what}`);

/** The method of a message of JSON-RPC; null for an answer, which has none. @throws McpError for no single message */
export function methodOf(bytes: Uint8Array): unknown {
  const message = parsed(bytes);
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw strange('what is no single message');
  return (message as { readonly method?: unknown }).method ?? null;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new McpError('malformed', 'the session wants to send what is no JSON', { cause });
  }
}
