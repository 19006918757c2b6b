// SPDX-License-Identifier: Apache-2.0
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { memoryBus, type Bus } from '@writ/bus';
import { NestLogger, Readiness } from '@writ/nest-kit';
import { startTelemetry, traceHooks, type Telemetry } from '@writ/telemetry';
import { testDatabase } from '@writ/testing';
import { ROUTES } from './api/routes.ts';
import type { OrchestratorConfig } from './config.env.ts';
import { allowedMethodsOf } from './edge/problems/allowed-methods.ts';
import { HttpAdapter } from './edge/server/http-adapter.ts';
import { prepareHttpServer } from './edge/server/http-server.ts';
import { READ_JSON } from './edge/work/edge-tasks.ts';
import { WorkerTasks } from './edge/work/worker-tasks.ts';
import { OrchestratorModule } from './orchestrator.module.ts';
import { TEST_CONFIG } from './specs/test-api.ts';

let app: INestApplication;
let bus: Bus;
let telemetry: Telemetry;
let dropDatabase: () => Promise<void>;

beforeAll(async () => {
  const database = await testDatabase();
  dropDatabase = () => database.drop();
  telemetry = startTelemetry({ service: 'orchestrator', version: '0', destination: { write: () => undefined } });
  bus = memoryBus({ now: Date.now, trace: traceHooks });
  const logger = telemetry.logger('silent');
  const readiness = new Readiness();
  const config = {
    ...TEST_CONFIG,
    WRIT_ORCHESTRATOR_DATABASE_URL: database.urlFor('writ_orchestrator'),
  } as unknown as OrchestratorConfig;
  app = await NestFactory.create(
    OrchestratorModule.with(config, { bus, logger, telemetry, readiness }),
    new HttpAdapter(allowedMethodsOf(ROUTES)),
    { logger: new NestLogger(logger), abortOnError: false },
  );
  prepareHttpServer(app, config);
  await app.listen(0, '127.0.0.1');
  readiness.started();
}, 120_000);
afterAll(async () => {
  await bus.close();
  await telemetry.shutdown();
  await dropDatabase();
});

describe('the module of the orchestrator, on Postgres', () => {
  it('is ready, and looks up an API key', async () => {
    const url = await app.getUrl();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const authorization = `Bearer writ_key_${'0'.repeat(26)}_${'a'.repeat(43)}`;
    expect((await fetch(`${url}/v1/agents`, { headers: { authorization } })).status).toBe(401);
  });

  it('has worker threads that run the tasks of its modules', async () => {
    const json = { bytes: Buffer.from('[1]'), depthMax: 3 };
    expect(await app.get(WorkerTasks).run(READ_JSON, 'tenant', json)).toEqual([1]);
  });

  it('closes its connections and its threads at the end', async () => {
    await expect(app.close()).resolves.toBeUndefined();
  });
});
