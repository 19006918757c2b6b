// SPDX-License-Identifier: Apache-2.0
import type { EgressTarget } from '@writ/egress';
import type { CallGate, Headers } from '../egress/call-gate.ts';
import { exchange } from '../egress/exchange.ts';
import { readBody } from './read-body.ts';

/** One request, whose answer is read as a whole. */
export interface WholeRequest {
  readonly method: string;
  readonly target: EgressTarget;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
  /** for the list of requests; empty without one */
  readonly purpose?: string;
  /** whether it changes nothing at the server, whatever its method */
  readonly isSafe: boolean;
  /** of the body that is read, in bytes */
  readonly replyBytesMax: number;
  /** how long nothing may pass, in milliseconds; by default as long as the gate allows any request */
  readonly idleMs?: number;
}

/** An answer; `truncated`: the server sent more than was to be read. */
export interface WholeReply {
  readonly status: number;
  readonly body: Buffer;
  readonly truncated: boolean;
}

/**
 * Sends one request through the gate of a call and reads the answer. A redirect is an answer like any other: it leads
 * nowhere. The connection is closed in any case, and when `signal` aborts.
 * @throws GateRefusal, and errors of the connection
 */
export async function exchangeWhole(
  gate: CallGate,
  { method, target, headers, body, purpose = '', isSafe, replyBytesMax, idleMs }: WholeRequest,
  signal?: AbortSignal,
): Promise<WholeReply> {
  const admitted = await gate.admit(method, target, purpose, { isSafe, ...(idleMs === undefined ? {} : { idleMs }) });
  const stop = (): void => void admitted.connection.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const answer = await exchange(admitted, { method, target, headers, body });
    const { bytes, truncated } = await readBody(answer, replyBytesMax);
    return { status: answer.statusCode ?? 0, body: bytes, truncated };
  } finally {
    signal?.removeEventListener('abort', stop);
    admitted.connection.destroy();
  }
}
