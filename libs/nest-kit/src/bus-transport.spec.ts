// SPDX-License-Identifier: Apache-2.0
import { Controller, Module } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { memoryBus, type MemoryBus } from '@writ/bus';
import { Fault } from '@writ/contract';
import { currentTrace, startTelemetry, traceHooks, withSpan, type Telemetry } from '@writ/telemetry';
import { of, type Observable } from 'rxjs';
import { BusContext } from './bus-context.ts';
import { BusTransport } from './bus-transport.ts';
import { NestLogger } from './nest-logger.ts';
import { startNest, type NestProcess } from './start-nest.ts';

let release: () => void;
const events: unknown[] = [];
let heard: () => void;

@Controller()
class AdmitController {
  @MessagePattern('kernel.admit')
  admit(@Payload() payload: unknown, @Ctx() context: BusContext): unknown {
    return { payload, deadline: context.deadline, colour: context.headers['colour'], trace: currentTrace() };
  }

  @MessagePattern('kernel.redeem', { concurrencyMax: 1 })
  async redeem(): Promise<void> {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  }

  @MessagePattern('kernel.renew')
  renew(): never {
    throw new Fault('attempt.fenced', 'attempt 1 of `op_1`');
  }

  @MessagePattern('kernel.report')
  async report(): Promise<never> {
    throw new Error('password is swordfish');
  }

  @MessagePattern('kernel.effect_started')
  effectStarted(): Observable<string> {
    return of('from an observable');
  }

  @EventPattern('slots')
  slots(@Payload() payload: { readonly fails?: boolean }): void {
    events.push(payload);
    heard();
    if (payload.fails === true) throw new Error('the handler fails');
  }
}

@Module({})
class KernelModule {}
@Module({})
class StrangeModule {}
class StrangeController {
  append(): void {}
}
MessagePattern('ledger.append')(
  StrangeController.prototype,
  'append',
  Object.getOwnPropertyDescriptor(StrangeController.prototype, 'append') ?? {},
);
Controller()(StrangeController);

let telemetry: Telemetry;
let bus: MemoryBus;
let app: NestProcess;
let reported: unknown[];
const transport = () =>
  new BusTransport({ bus, process: 'kernel', shard: 's0', telemetry, report: (error) => reported.push(error) });
const parts = () => ({ transport: transport(), logger: new NestLogger(telemetry.logger('silent')), http: undefined });
const ask = (verb: string, payload: unknown = {}, headers = {}) =>
  bus.request(`writ.v1.s0.kernel.${verb}`, payload, { deadline: Date.now() + 2_000, headers });

beforeEach(async () => {
  telemetry = startTelemetry({ service: 'kernel', version: '0.1.0' });
  reported = [];
  events.length = 0;
  bus = memoryBus({ now: Date.now, trace: traceHooks, report: (error) => reported.push(error) });
  app = await startNest({ module: KernelModule, controllers: [AdmitController] }, parts());
});
afterEach(async () => {
  await app.close();
  await bus.close();
  await telemetry.shutdown();
});

test('a controller gets payload, deadline and headers, and its value is the answer', async () => {
  expect(await ask('admit', { tool_id: 'fs.read' }, { colour: 'red' })).toMatchObject({
    payload: { tool_id: 'fs.read' },
    deadline: expect.any(Number),
    colour: 'red',
  });
});

test('the handler runs within the trace of the requester, in its own span', async () => {
  const [answer, mine] = await withSpan(
    'proposed',
    {},
    async () => [(await ask('admit')) as { trace: { trace_id: string; span_id: string } }, currentTrace()] as const,
  );
  expect(answer.trace.trace_id).toBe(mine?.trace_id);
  expect(answer.trace.span_id).not.toBe(mine?.span_id);
});

test('a Fault reaches the requester as thrown', async () => {
  await expect(ask('renew')).rejects.toMatchObject({ code: 'attempt.fenced', detail: 'attempt 1 of `op_1`' });
});

test('a bug reaches the requester as `internal` and is reported once', async () => {
  await expect(ask('report')).rejects.toMatchObject({ code: 'internal', detail: undefined });
  expect(reported).toEqual([new Error('password is swordfish')]);
});

test('an observable answers with its last value', async () => {
  expect(await ask('effect_started')).toBe('from an observable');
});

test('the bound of a handler holds', async () => {
  const first = ask('redeem');
  await expect(ask('redeem')).rejects.toMatchObject({ code: 'overloaded' });
  release();
  await first;
});

test('closing finishes running requests', async () => {
  const first = ask('redeem');
  await new Promise((resolve) => setImmediate(resolve));
  const closed = app.close();
  await expect(ask('admit')).rejects.toMatchObject({ code: 'bus.unreachable' });
  release();
  await closed;
  expect(await first).toBeNull();
});

test('an event of any tenant is received, and a handler that fails is reported', async () => {
  const two = new Promise<void>((resolve) => {
    heard = () => (events.length === 2 ? resolve() : undefined);
  });
  bus.publish('writ.v1.s0.event._.slots', { free: 2 });
  bus.publish('writ.v1.s0.event.ten_a.slots', { fails: true });
  await two;
  await new Promise((resolve) => setImmediate(resolve));
  expect(events).toEqual([{ free: 2 }, { fails: true }]);
  expect(reported).toEqual([new Error('the handler fails')]);
});

test('handlers are timed by verb and outcome', async () => {
  await ask('admit');
  await ask('renew').catch(() => {});
  const text = await telemetry.metricsText();
  expect(text).toContain('writ_bus_handler_duration_seconds_count{verb="admit",outcome="ok"} 1');
  expect(text).toContain('writ_bus_handler_duration_seconds_count{verb="renew",outcome="attempt.fenced"} 1');
});

test('a pattern of another process keeps the process from starting', async () => {
  await expect(startNest({ module: StrangeModule, controllers: [StrangeController] }, parts())).rejects.toThrow(
    "`kernel` doesn't serve `ledger.append`",
  );
});
