// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Closes connections that never asked anything when the door closes. Node takes them for busy ones and would wait for their first request,
 * a minute at most, with the process hanging on it.
 */
export function closeSilentConnections(fastify: FastifyInstance): void {
  const silent = new Set<Socket>();
  let isClosing = false;
  fastify.server.on('connection', (socket: Socket) => {
    if (isClosing) {
      socket.destroy();
      return;
    }
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  fastify.server.on('request', ({ socket }: { readonly socket: Socket }) => silent.delete(socket));
  fastify.addHook('preClose', (done) => {
    isClosing = true;
    for (const socket of silent) socket.destroy();
    done();
  });
}
