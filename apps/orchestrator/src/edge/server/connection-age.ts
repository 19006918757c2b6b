// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Random spread of the bound: connections that a rollout opened together don't all reconnect together. */
const SPREAD = 0.1;

/**
 * Asks a client whose connection is older than the bound to open another one: the answer to its next request says
 * `connection: close` (RFC 9112, section 9.6). No request is broken off. A Service of Kubernetes spreads connections
 * and not requests, so without a bound a replica that was added gets none of the clients that were there before.
 * @param maxAgeMs milliseconds, give or take a tenth; 0 sets no bound
 */
export function boundConnectionAge(fastify: FastifyInstance, maxAgeMs: number): void {
  if (maxAgeMs === 0) return;
  const endOf = new WeakMap<Socket, number>();
  fastify.server.on('connection', (socket: Socket) => {
    endOf.set(socket, performance.now() + maxAgeMs * (1 - SPREAD + 2 * SPREAD * Math.random()));
  });
  fastify.addHook('onRequest', ({ raw }, reply, done) => {
    // Node closes the connection itself after a response with this header.
    if (performance.now() > (endOf.get(raw.socket) ?? Infinity)) reply.raw.shouldKeepAlive = false;
    done();
  });
}
