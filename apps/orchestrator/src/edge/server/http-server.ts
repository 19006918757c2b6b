// SPDX-License-Identifier: Apache-2.0
import type { INestApplication } from '@nestjs/common';
import type { HttpEndpoint } from '@writ/nest-kit';
import type { FastifyInstance } from 'fastify';
import { showPages } from '../openapi/pages.ts';
import { allowedMethodsOf, concretePathsOf } from '../problems/allowed-methods.ts';
import { WorkerTasks } from '../work/worker-tasks.ts';
import { AccessLog } from './access-log.ts';
import { boundConnectionAge } from './connection-age.ts';
import { HttpAdapter } from './http-adapter.ts';
import type { RouteRow } from '../requests/route.ts';
import { closeIdleConnections } from './idle-connections.ts';
import { redirectAliases } from './loopback-alias.ts';
import { provideTasks } from './request-tasks.ts';

/** The configuration of the HTTP server. */
export interface HttpServerConfig {
  readonly WRIT_HTTP_HOST: string;
  readonly WRIT_HTTP_PORT: number;
  /** addresses and CIDR blocks, with commas between */
  readonly WRIT_TRUSTED_PROXIES: string;
  /** milliseconds; 0: connections have no age limit */
  readonly WRIT_CONNECTION_MAX_AGE_MS: number;
  readonly WRIT_PUBLIC_URL?: string | undefined;
}

/** The HTTP server of this process for these routes. */
export function httpServerOf(config: HttpServerConfig, routes: readonly RouteRow[]): HttpEndpoint {
  return {
    host: config.WRIT_HTTP_HOST,
    port: config.WRIT_HTTP_PORT,
    adapter: () => new HttpAdapter(allowedMethodsOf(routes), config.WRIT_TRUSTED_PROXIES, concretePathsOf(routes)),
    prepare: (app) => prepareHttpServer(app, config),
  };
}

/** Configures, before the server listens, what the module cannot. */
export function prepareHttpServer(
  app: INestApplication,
  config: Pick<HttpServerConfig, 'WRIT_CONNECTION_MAX_AGE_MS' | 'WRIT_PUBLIC_URL'>,
): void {
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  app.get(AccessLog).install(fastify);
  redirectAliases(fastify, config.WRIT_PUBLIC_URL);
  provideTasks(fastify, app.get(WorkerTasks));
  closeIdleConnections(fastify);
  boundConnectionAge(fastify, config.WRIT_CONNECTION_MAX_AGE_MS);
  showPages(app, fastify);
}
