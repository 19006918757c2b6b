// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets the server close as soon as its last response is sent. Node would otherwise wait a minute and more for two kinds
 * of idle connections: those that have sent no request yet, and those whose response ended while the server closes.
 */
export function closeIdleConnections(fastify: FastifyInstance): void {
  const idle = new Set<Socket>();
  const answering = new Set<ServerResponse>();
  let isClosing = false;
  fastify.server.on('connection', (socket: Socket) => {
    if (isClosing) {
      socket.destroy();
      return;
    }
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
  });
  fastify.server.on('request', ({ socket }: { readonly socket: Socket }, response: ServerResponse) => {
    idle.delete(socket);
    answering.add(response);
    response.once('close', () => {
      answering.delete(response);
      // A response that was in progress when the closing began may have announced keep-alive.
      if (isClosing) socket.end();
    });
  });
  fastify.addHook('preClose', (done) => {
    isClosing = true;
    for (const socket of idle) socket.destroy();
    for (const response of answering) response.shouldKeepAlive = false;
    done();
  });
}
