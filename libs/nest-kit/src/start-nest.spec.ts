// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import {
  Controller,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { AbstractHttpAdapter } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import { memoryBus } from '@writ/bus';
import { Fault } from '@writ/contract';
import { startTelemetry } from '@writ/telemetry';
import { BusTransport } from './bus-transport.ts';
import { NestLogger } from './nest-logger.ts';
import { startNest, type HttpEndpoint } from './start-nest.ts';

/** An HTTP adapter that answers nothing: the methods that Nest calls, without a framework. */
const fakeHttpAdapter = (): AbstractHttpAdapter => {
  const server = createServer();
  const said = {
    getHttpServer: () => server,
    getType: () => 'none',
    listen: (port: number, host: string, done: () => void) => server.listen(port, host, done),
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
  const nothing = (): undefined => undefined;
  return new Proxy({} as AbstractHttpAdapter, {
    get: (_, name) => (name === 'then' ? undefined : (said[name as keyof typeof said] ?? nothing)),
  });
};

class Hooks implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly called: string[] = [];
  onModuleInit(): void {
    this.called.push('init');
  }
  onApplicationBootstrap(): void {
    this.called.push('bootstrap');
  }
  beforeApplicationShutdown(): void {
    this.called.push('shutdown');
  }
}

@Controller()
class RenewController {
  @MessagePattern('kernel.renew')
  renew(): never {
    throw new Fault('attempt.fenced', 'attempt 1');
  }
}

@Module({})
class SomeModule {}

test.each<[string, HttpEndpoint | undefined]>([
  ['the bus', undefined],
  ['the bus and HTTP', { host: '127.0.0.1', port: 0, adapter: fakeHttpAdapter }],
])('a process that answers %s calls the hooks of its module once, and says faults as thrown', async (_, http) => {
  const hooks = new Hooks();
  const telemetry = startTelemetry({ service: 'kernel', version: '0.1.0' });
  const bus = memoryBus({ now: Date.now });
  const transport = new BusTransport({
    bus,
    process: 'kernel',
    shard: 's0',
    telemetry,
    report: (error) => {
      throw error;
    },
  });
  const app = await startNest(
    { module: SomeModule, controllers: [RenewController], providers: [{ provide: Hooks, useValue: hooks }] },
    { transport, logger: new NestLogger(telemetry.logger('silent')), http },
  );
  expect(hooks.called).toEqual(['init', 'bootstrap']);
  await expect(bus.request('writ.v1.s0.kernel.renew', {}, { deadline: Date.now() + 2_000 })).rejects.toMatchObject({
    code: 'attempt.fenced',
  });
  await app.close();
  expect(hooks.called).toEqual(['init', 'bootstrap', 'shutdown']);
  await bus.close();
  await telemetry.shutdown();
});
