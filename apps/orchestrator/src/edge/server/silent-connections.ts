// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets the server close as soon as its last answer is out. Node waits for two kinds of connections with nothing under
 * way: those that never asked anything, for their first request, and those that get an answer while it closes, for
 * their next one, a minute and more with the process hanging on them.
 */
export function closeSilentConnections(fastify: FastifyInstance): void {
  const silent = new Set<Socket>();
  const answering = new Set<ServerResponse>();
  let isClosing = false;
  fastify.server.on('connection', (socket: Socket) => {
    if (isClosing) {
      socket.destroy();
      return;
    }
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  fastify.server.on('request', ({ socket }: { readonly socket: Socket }, response: ServerResponse) => {
    silent.delete(socket);
    answering.add(response);
    response.once('close', () => {
      answering.delete(response);
      // What was on its way out when the closing began may have said that the connection stays.
      if (isClosing) socket.end();
    });
  });
  fastify.addHook('preClose', (done) => {
    isClosing = true;
    for (const socket of silent) socket.destroy();
    for (const response of answering) response.shouldKeepAlive = false;
    done();
  });
}
