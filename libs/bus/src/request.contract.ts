// SPDX-License-Identifier: Apache-2.0
import { Fault, type FaultCode } from '@writ/contract';
import type { MakeBus } from './bus-factory.contract.ts';
import type { Bus, BusMessage, ServeOptions } from './bus.ts';

/** A second: long for one machine, short for a test that fails. */
const soon = (): number => Date.now() + 1_000;

let serial = 0;
const freshSubject = (): string => `writ.v1.test.kernel.verb_${(serial += 1)}`;

async function faultOf(promise: Promise<unknown>): Promise<FaultCode | 'no fault'> {
  return promise.then(
    () => 'no fault' as const,
    (error: unknown) => {
      if (error instanceof Fault) return error.code;
      throw error;
    },
  );
}

/** A promise that a test resolves. A handler waits for it while the test makes its checks. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

export function requestContract(makeBus: MakeBus): void {
  describe('requests', () => {
    let bus: Bus;
    let subject: string;
    beforeEach(async () => {
      bus = await makeBus({});
      subject = freshSubject();
    });
    afterEach(() => bus.close());

    const serve = (handler: ServeOptions['handler'], concurrencyMax = 8) =>
      bus.serve(subject, { queue: 'kernel', concurrencyMax, handler });

    test('the handler receives the payload, and the requester receives the handler’s value', async () => {
      await serve(async ({ payload }) => ({ echo: payload }));
      const sent = { text: 'grüße \u{1f980}', list: [1, null, { deep: true }] };
      expect(await bus.request(subject, sent, { deadline: soon() })).toEqual({ echo: sent });
    });

    test('a handler that returns nothing answers null', async () => {
      await serve(async () => undefined);
      expect(await bus.request(subject, null, { deadline: soon() })).toBeNull();
    });

    test('the handler sees subject, deadline and headers', async () => {
      const deadline = soon();
      let seen: BusMessage | undefined;
      await serve(async (message) => {
        seen = message;
      });
      await bus.request(subject, {}, { deadline, headers: { colour: 'red' } });
      expect(seen).toMatchObject({ subject, deadline, headers: { colour: 'red', 'writ-deadline': String(deadline) } });
    });

    test('a Fault that the handler throws arrives as the same Fault, without its cause', async () => {
      await serve(async () => {
        throw new Fault('permit.spent', 'by `exe_2`', { pointer: '/permit', cause: new Error('inside') });
      });
      const error = await bus.request(subject, {}, { deadline: soon() }).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(Fault);
      expect(error).toMatchObject({ code: 'permit.spent', detail: 'by `exe_2`', pointer: '/permit', cause: undefined });
    });

    test('an unknown error arrives as `internal`, without its text', async () => {
      await serve(async () => {
        throw new Error('password is swordfish');
      });
      const error = await bus.request(subject, {}, { deadline: soon() }).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'internal' });
      expect(JSON.stringify({ ...(error as Fault), message: (error as Fault).message })).not.toContain('swordfish');
    });

    test('a request without a server is `bus.unreachable`, at once', async () => {
      const before = Date.now();
      expect(await faultOf(bus.request(subject, {}, { deadline: Date.now() + 30_000 }))).toBe('bus.unreachable');
      expect(Date.now() - before).toBeLessThan(5_000);
    });

    test('a request past its deadline is refused before it is sent', async () => {
      let calls = 0;
      await serve(async () => {
        calls += 1;
      });
      expect(await faultOf(bus.request(subject, {}, { deadline: Date.now() - 1 }))).toBe('deadline');
      await bus.request(subject, {}, { deadline: soon() });
      expect(calls).toBe(1);
    });

    test('an answer after the deadline is `deadline`', async () => {
      const { opened, open } = gate();
      await serve(() => opened);
      expect(await faultOf(bus.request(subject, {}, { deadline: Date.now() + 50 }))).toBe('deadline');
      open();
    });

    test('a server at its concurrency limit answers `overloaded`, and accepts again after one ends', async () => {
      const { opened, open } = gate();
      await serve(() => opened, 2);
      const first = [bus.request(subject, {}, { deadline: soon() }), bus.request(subject, {}, { deadline: soon() })];
      expect(await faultOf(bus.request(subject, {}, { deadline: soon() }))).toBe('overloaded');
      open();
      await Promise.all(first);
      expect(await faultOf(bus.request(subject, {}, { deadline: soon() }))).toBe('no fault');
    });

    test('replicas of one queue share the requests: each is answered once', async () => {
      const answered = { a: 0, b: 0 };
      await bus.serve(subject, { queue: 'kernel', concurrencyMax: 100, handler: async () => void (answered.a += 1) });
      await bus.serve(subject, { queue: 'kernel', concurrencyMax: 100, handler: async () => void (answered.b += 1) });
      await Promise.all(Array.from({ length: 60 }, () => bus.request(subject, {}, { deadline: soon() })));
      expect(answered.a + answered.b).toBe(60);
      expect(Math.min(answered.a, answered.b)).toBeGreaterThan(0);
    });

    test('closing waits for the running requests and refuses new ones', async () => {
      const { opened, open } = gate();
      const started = gate();
      const served = await serve(() => {
        started.open();
        return opened.then(() => 'done');
      });
      const answer = bus.request(subject, {}, { deadline: soon() });
      await started.opened;
      const closed = served.close();
      expect(await faultOf(bus.request(subject, {}, { deadline: soon() }))).toBe('bus.unreachable');
      open();
      await closed;
      expect(await answer).toBe('done');
    });

    test('a payload above the limit is refused before it is sent', async () => {
      expect(await faultOf(bus.request(subject, 'x'.repeat(1_048_576), { deadline: soon() }))).toBe(
        'request.too_large',
      );
    });
  });

  test('the trace context travels with a request', async () => {
    const traced: string[] = [];
    const bus = await makeBus({
      trace: {
        inject: (headers) => void (headers.traceparent = '00-trace-span-01'),
        extract: (headers, fn) => {
          traced.push(headers.traceparent ?? 'none');
          return fn();
        },
      },
    });
    const subject = freshSubject();
    await bus.serve(subject, {
      queue: 'kernel',
      concurrencyMax: 1,
      handler: async ({ headers }) => headers.traceparent,
    });
    expect(await bus.request(subject, {}, { deadline: soon() })).toBe('00-trace-span-01');
    expect(traced).toEqual(['00-trace-span-01']);
    await bus.close();
  });
}
