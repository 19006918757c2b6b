// SPDX-License-Identifier: Apache-2.0
// Messages between the event loop, which has the connection to a program, and the thread that speaks MCP in lines.

/** The server's answer with which a session began, so that later sessions of the same process begin with it. */
export interface Handshake {
  /** the method of the request */
  readonly method: 'initialize' | 'server/discover';
  /** the JSON of the result */
  readonly result: Uint8Array;
}

/** What a session in lines needs beside what every session does. */
export interface LineWork {
  /** counts the sessions of the process, and is a part of each id: an answer to an earlier one is nobody's */
  readonly session: number;
  /** of the first session; null for that one itself */
  readonly handshake: Handshake | null;
}

export type FromLineThread =
  | { readonly kind: 'open' }
  /** one message with its line feed */
  | { readonly kind: 'write'; readonly bytes: Uint8Array; readonly isCall: boolean }
  | { readonly kind: 'handshake'; readonly handshake: Handshake }
  /** bytes that were read since the last message, so that as many more may come */
  | { readonly kind: 'consumed'; readonly bytes: number }
  /** the answer to `ping`, with the time that the thread computed since it opened */
  | { readonly kind: 'pong'; readonly busyMs: number };

export type ToLineThread =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** nothing more comes */
  | { readonly kind: 'end'; readonly why: 'unreachable' | 'too_large' | 'too_many_pieces' }
  | { readonly kind: 'ping' };
