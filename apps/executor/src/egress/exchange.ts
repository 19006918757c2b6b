// SPDX-License-Identifier: Apache-2.0
import { request as send, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { EgressTarget } from '@writ/egress';
import type { Headers, Passage } from './call-gate.ts';
import { GateRefusal } from './gate-error.ts';

/** What one head of an answer may weigh. */
const HEAD_BYTES_MAX = 32 * 1024;

/** A request that has been let out. */
export interface Outgoing {
  readonly method: string;
  readonly target: EgressTarget;
  readonly headers: Headers;
  /** null: it has none */
  readonly body: Readable | Uint8Array | null;
}

/**
 * Sends one request over its passage and resolves with the answer's head; its body is still to be read. The connection
 * carries nothing else, before or after, so that no byte of a body can be taken for another request. @throws
 * GateRefusal `egress.failed` when no answer came: something may have left
 */
export async function exchange(
  passage: Passage,
  { method, target, headers, body }: Outgoing,
): Promise<IncomingMessage> {
  const { connection, listed } = passage;
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      // Without an agent, and only without one, the client takes this connection and never makes one of its own.
      const request = send({
        method,
        path: target.path,
        setHost: false,
        maxHeaderSize: HEAD_BYTES_MAX,
        insecureHTTPParser: false,
        headers: [['host', target.host], ...headers, ['connection', 'close']].flat(),
        createConnection: () => connection,
      });
      request.once('response', resolve).on('error', reject);
      // A switch of protocols would go on unread.
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
