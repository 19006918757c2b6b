// SPDX-License-Identifier: Apache-2.0
import type { DynamicModule, INestApplication, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { NestMicroservice } from '@nestjs/microservices';
import type { BusTransport } from './bus-transport.ts';
import { FaultFilter } from './fault-filter.ts';

/** How a process answers HTTP. */
export interface HttpEndpoint {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly adapter: () => AbstractHttpAdapter;
  /** Sets up filters, guards and documents before the server listens. */
  readonly prepare?: (app: INestApplication) => void | Promise<void>;
}

export interface NestProcess {
  /** The URL of the HTTP API; undefined without one. */
  readonly url: string | undefined;
  close(): Promise<void>;
}

interface NestParts {
  readonly transport: BusTransport;
  readonly logger: LoggerService;
  readonly http: HttpEndpoint | undefined;
}

/** By default, Nest ends the process itself before anything is logged or closed. */
const options = { abortOnError: false } as const;

/** Starts the module with the bus as its transport, and with HTTP where there is an endpoint. */
export function startNest(module: DynamicModule, parts: NestParts): Promise<NestProcess> {
  return parts.http === undefined ? startMicroservice(module, parts) : startHybrid(module, parts, parts.http);
}

async function startMicroservice(module: DynamicModule, { transport, logger }: NestParts): Promise<NestProcess> {
  const app = await NestFactory.createMicroservice(module, { ...options, logger, strategy: transport });
  app.useGlobalFilters(new FaultFilter());
  await app.listen();
  return { url: undefined, close: () => app.close() };
}

async function startHybrid(
  module: DynamicModule,
  { transport, logger }: NestParts,
  http: HttpEndpoint,
): Promise<NestProcess> {
  const app = await NestFactory.create(module, http.adapter(), { ...options, logger });
  const microservice = app.connectMicroservice(
    { strategy: transport },
    { inheritAppConfig: false, deferInitialization: true },
  ) as NestMicroservice;
  microservice.useGlobalFilters(new FaultFilter());
  // Two applications share one module. Each would call the module's hooks, and every worker would start twice.
  microservice.setIsInitHookCalled(true);
  await http.prepare?.(app);
  await app.init();
  await app.startAllMicroservices();
  await app.listen(http.port, http.host);
  return { url: await app.getUrl(), close: () => app.close() };
}
