// SPDX-License-Identifier: Apache-2.0
import { parseUrl } from '@writ/egress';
import { STORE_ANSWER_BYTES_MAX } from '../../calls/executor-pool.ts';
import type { Call } from '../../calls/runner.ts';
import type { CallGate, Headers } from '../../egress/call-gate.ts';
import { GateRefusal } from '../../egress/gate-refusal.ts';
import { secretHeader } from '../resource-secret.ts';
import { exchangeWhole } from '../whole-exchange.ts';

export interface StoreRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** JSON, or null */
  readonly body: string | null;
  /** the name of the secret that the settings give for the server */
  readonly secret: string | undefined;
  /** whether it changes nothing on the server */
  readonly isSafe: boolean;
}

export interface StoreAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends one request to a server that the settings of a store name, through the gate of the call.
 * @throws GateRefusal; Fault `permit.invalid` where the secret did not come with the call
 */
export async function sendToStore(
  gate: CallGate,
  call: Pick<Call, 'resourceSecrets'>,
  { method, url, body, secret, isSafe }: StoreRequest,
): Promise<StoreAnswer> {
  const target = parseUrl(url);
  const bytes = body === null ? null : Buffer.from(body, 'utf8');
  const headers: Headers = [
    ['accept', 'application/json'],
    ['accept-encoding', 'identity'],
    ['user-agent', 'writ'],
    ...(secret === undefined ? [] : [secretHeader(call, { name: 'authorization', prefix: 'Bearer ', secret }, target)]),
    ...(bytes === null
      ? []
      : ([
          ['content-type', 'application/json'],
          ['content-length', String(bytes.length)],
        ] as const)),
  ];
  const request = { method, target, headers, body: bytes, isSafe, replyBytesMax: STORE_ANSWER_BYTES_MAX };
  const reply = await exchangeWhole(gate, request);
  if (reply.truncated)
    throw new GateRefusal('egress.failed', `the server answered with more than ${STORE_ANSWER_BYTES_MAX} bytes`);
  return { status: reply.status, body: reply.body.toString('utf8') };
}
