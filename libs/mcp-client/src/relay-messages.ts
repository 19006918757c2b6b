// SPDX-License-Identifier: Apache-2.0
// Messages between the event loop, which sends requests, and the thread that speaks MCP in them.

export type FromThread =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly method: string;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly body: Uint8Array | null;
      /** whether it is the call of the session, as `isCallMethod` has it */
      readonly isCall: boolean;
    }
  /** bytes of an answer that were read since the last message, so that as many more may come */
  | { readonly kind: 'consumed'; readonly id: number; readonly bytes: number }
  /** nobody waits for the answer any more */
  | { readonly kind: 'cancel'; readonly id: number }
  /** the answer to `ping`, with the time that the thread computed since it opened */
  | { readonly kind: 'pong'; readonly busyMs: number };

export type ToThread =
  | {
      readonly kind: 'head';
      readonly id: number;
      readonly status: number;
      readonly headers: readonly (readonly [name: string, value: string])[];
    }
  | { readonly kind: 'bytes'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly id: number }
  /** there is no answer, or no more of it */
  | { readonly kind: 'broken'; readonly id: number; readonly why: 'unreachable' | 'too_large' | 'too_many_pieces' }
  | { readonly kind: 'ping' };
