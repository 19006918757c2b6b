// SPDX-License-Identifier: Apache-2.0
import type { INestApplication } from '@nestjs/common';
import type { HttpDoor } from '@writ/nest-kit';
import type { FastifyInstance } from 'fastify';
import { showPages } from '../openapi/pages.ts';
import { WorkerTasks } from '../work/worker-tasks.ts';
import { AccessLog } from './access-log.ts';
import { DoorAdapter } from './door-adapter.ts';
import { closeSilentConnections } from './silent-connections.ts';
import { provideTasks } from './tasks-of.ts';

/** How this process answers HTTP. */
export function doorOf({ WRIT_HTTP_HOST: host, WRIT_HTTP_PORT: port, WRIT_TRUSTED_PROXIES: proxies }: { readonly WRIT_HTTP_HOST: string; readonly WRIT_HTTP_PORT: number; readonly WRIT_TRUSTED_PROXIES: string }): HttpDoor {
  return { host, port, adapter: () => new DoorAdapter(proxies), prepare: prepareDoor };
}

/** What is set before the door opens, and not by the module. */
export function prepareDoor(app: INestApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  app.get(AccessLog).install(fastify);
  provideTasks(fastify, app.get(WorkerTasks));
  closeSilentConnections(fastify);
  showPages(app, fastify);
}
