// SPDX-License-Identifier: Apache-2.0
import { request as send, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { authorityOf, type EgressTarget } from '@writ/egress';
import type { AdmittedRequest } from './admitted-request.ts';
import type { Headers } from './call-gate.ts';
import { GateRefusal } from './gate-refusal.ts';

/** The longest head of an answer. */
const HEAD_BYTES_MAX = 32 * 1024;

/** The content of an admitted request. */
export interface Outgoing {
  readonly method: string;
  readonly target: EgressTarget;
  readonly headers: Headers;
  /** null: it has none */
  readonly body: Readable | Uint8Array | null;
}

/**
 * Sends one request over its connection and resolves with the answer's head; the caller reads the body. The connection
 * carries nothing else before or after, so that no byte of a body can be read as another request. @throws GateRefusal
 * `egress.failed` when no answer arrives: the request may have left
 */
export async function exchange(
  admitted: AdmittedRequest,
  { method, target, headers, body }: Outgoing,
): Promise<IncomingMessage> {
  const { connection, listed } = admitted;
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      // Only without an agent does the client use this connection and never make its own.
      const request = send({
        method,
        path: target.path,
        setHost: false,
        maxHeaderSize: HEAD_BYTES_MAX,
        insecureHTTPParser: false,
        headers: [['host', authorityOf(target)], ...headers, ['connection', 'close']].flat(),
        createConnection: () => connection,
      });
      request.once('response', resolve).on('error', reject);
      // After a switch of protocols the gate could no longer read what passes.
      request.once('upgrade', () => reject(new Error('the other side wants another protocol')));
      connection.once('close', () => reject(new Error('the connection ended before an answer')));
      if (body === null || body instanceof Uint8Array) request.end(body ?? undefined);
      else body.on('error', (error) => request.destroy(error)).pipe(request);
    });
    listed.answered(answer.statusCode ?? 0);
    return answer;
  } catch (error) {
    connection.destroy();
    if (error instanceof GateRefusal) {
      listed.failed(error.message);
      throw error;
    }
    const message = error instanceof Error ? error.message : String(error);
    listed.failed(message);
    throw new GateRefusal('egress.failed', 'the other side did not answer', null, { cause: error });
  }
}
