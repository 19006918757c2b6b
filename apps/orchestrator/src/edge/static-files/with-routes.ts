// SPDX-License-Identifier: Apache-2.0
import type { INestApplication } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/** The part of a server that is called before it listens. */
export interface Preparable {
  readonly prepare?: (app: INestApplication) => void | Promise<void>;
}

/** Extends a server by routes that aren't in the API's document. */
export function withRoutes<T extends Preparable>(server: T, add: (fastify: FastifyInstance) => void): T {
  const prepare = async (app: INestApplication): Promise<void> => {
    await server.prepare?.(app);
    add(app.getHttpAdapter().getInstance() as FastifyInstance);
  };
  return { ...server, prepare };
}
