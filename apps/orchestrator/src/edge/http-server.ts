// SPDX-License-Identifier: Apache-2.0
import type { INestApplication } from '@nestjs/common';
import type { HttpDoor } from '@writ/nest-kit';
import type { FastifyInstance } from 'fastify';
import type { OrchestratorConfig } from '../config.env.ts';
import { showPages } from './openapi/pages.ts';
import { WorkerTasks } from './worker-tasks.ts';
import { AccessLog } from './access-log.ts';
import { boundConnectionAge } from './connection-age.ts';
import { DoorAdapter } from './http-adapter.ts';
import { closeSilentConnections } from './silent-connections.ts';
import { provideTasks } from './tasks-of.ts';

/** How this process answers HTTP. */
export function doorOf(
  config: DoorConfig & Pick<OrchestratorConfig, 'WRIT_HTTP_HOST' | 'WRIT_HTTP_PORT' | 'WRIT_TRUSTED_PROXIES'>,
): HttpDoor {
  return {
    host: config.WRIT_HTTP_HOST,
    port: config.WRIT_HTTP_PORT,
    adapter: () => new DoorAdapter(config.WRIT_TRUSTED_PROXIES),
    prepare: (app) => prepareDoor(app, config),
  };
}

type DoorConfig = Pick<OrchestratorConfig, 'WRIT_CONNECTION_MAX_AGE_MS'>;

/** What is set before the door opens, and not by the module. */
export function prepareDoor(app: INestApplication, config: DoorConfig): void {
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  app.get(AccessLog).install(fastify);
  provideTasks(fastify, app.get(WorkerTasks));
  closeSilentConnections(fastify);
  boundConnectionAge(fastify, config.WRIT_CONNECTION_MAX_AGE_MS);
  showPages(app, fastify);
}
