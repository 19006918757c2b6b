// SPDX-License-Identifier: Apache-2.0
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault, type OperationView, type OutputEvent, type WatchEvent } from '@writ/contract';
import { OutputFeeds } from '../../calls/live-output/output-feeds.ts';
import { OutputStream, type OutputPosition } from './output-stream.ts';

const TENANT = 'ten_01m834x5wtem0bcm5yy72gabjq' as WatchEvent['tenant_id'];
const OPERATION = 'op_01m834x5wtem0bcm5yy72gabjq' as WatchEvent['operation_id'];
const view = (state: string, over: object = {}): OperationView =>
  ({ operation_id: OPERATION, tool_id: 'shell.run', state, attempt: 1, result: null, ...over }) as never;
const DONE = view('committed', { result: { tx_outcome: 'committed', error: null, result: { exit_code: 0 } } });

/** One running call: its executor answers as `output` says. */
class RunningCall {
  readonly asked: WatchEvent[] = [];
  readonly feeds = new OutputFeeds(
    50,
    (event) => this.#answer(event),
    () => performance.now(),
  );
  operation = view('performing');
  output = Buffer.alloc(0);
  attempt = 1;
  withheld = false;
  closed = false;
  keyFault: Fault | null = null;
  keptFrom = 0;

  #answer(event: WatchEvent): void {
    this.asked.push(event);
    const from = Math.max(this.keptFrom, event.attempt === this.attempt ? event.from : 0);
    const answer: OutputEvent = {
      v: 1,
      tenant_id: TENANT,
      operation_id: OPERATION,
      watch_id: event.watch_id,
      executor_id: 'exe_01m834x5wtem0bcm5yy72gabjq' as OutputEvent['executor_id'],
      attempt: this.attempt,
      from: this.withheld ? 0 : from,
      bytes: this.withheld ? '' : this.output.subarray(from, from + 48 * 1024).toString('base64'),
      output_bytes: this.output.length,
      withheld: this.withheld,
      closed: this.closed,
    };
    setImmediate(() => this.feeds.receive(answer));
  }

  follow(after: OutputPosition | null = null, forMs: number | null = null) {
    const { listener, stop } = this.feeds.follow(
      { tenant_id: TENANT, operation_id: OPERATION },
      (feed) =>
        new OutputStream({
          feed,
          operation: this.operation,
          after,
          next: async (ms, gone) => (await delay(Math.min(ms, 5)), !gone.aborted),
          read: () => Promise.resolve(this.operation),
          verifyKey: () => (this.keyFault === null ? Promise.resolve() : Promise.reject(this.keyFault)),
          forMs,
        }),
    );
    listener.readable.once('close', stop);
    return listener.readable;
  }

  end(): void {
    this.closed = true;
    this.operation = DONE;
  }
}

interface Shown {
  readonly event: string;
  readonly id: string | null;
  readonly data: Record<string, unknown>;
}
const shownIn = (said: string): Shown[] =>
  said
    .split('\n\n')
    .filter((block) => block.includes('event: '))
    .map((block) => ({
      event: /^event: (\w+)$/m.exec(block)?.[1] ?? '',
      id: /^id: (.+)$/m.exec(block)?.[1] ?? null,
      data: JSON.parse(/^data: (.+)$/m.exec(block)?.[1] ?? '{}') as Record<string, unknown>,
    }));
const outputOf = (shown: readonly Shown[]): string =>
  shown
    .filter(({ event }) => event === 'output')
    .map(({ data }) => data['text'])
    .join('');

let call: RunningCall;
beforeEach(() => {
  call = new RunningCall();
});

it('shows output in order as it comes, and ends with the outcome of the call', async () => {
  call.output = Buffer.from('one\n');
  const said = text(call.follow());
  await delay(100);
  call.output = Buffer.from('one\ntwo\n');
  await delay(150);
  call.output = Buffer.from('one\ntwo\nthree\n');
  call.end();
  const shown = shownIn(await said);
  expect(outputOf(shown)).toBe('one\ntwo\nthree\n');
  expect(shown.map(({ event }) => event)).toEqual(['ready', 'attempt', 'output', 'output', 'output', 'end']);
  expect(shown.at(-2)?.id).toBe('1.14');
  expect(shown.at(-1)?.data).toMatchObject({ reason: 'ended', state: 'committed', exit_code: 0, output_bytes: 14 });
});

it('resumes after a position, and names what is no longer kept', async () => {
  call.output = Buffer.from('0123456789');
  call.end();
  call.operation = view('performing');
  const said = text(call.follow({ attempt: 1, at: 4 }));
  await delay(50);
  call.operation = DONE;
  expect(outputOf(shownIn(await said))).toBe('456789');
  call.keptFrom = 6;
  call.operation = view('performing');
  const later = text(call.follow({ attempt: 1, at: 2 }));
  await delay(50);
  call.operation = DONE;
  const shown = shownIn(await later);
  expect(shown.find(({ event }) => event === 'skipped')?.data).toEqual({ attempt: 1, from: 2, to: 6 });
  expect(outputOf(shown)).toBe('6789');
});

it('begins again with another attempt', async () => {
  call.output = Buffer.from('lost');
  const said = text(call.follow());
  await delay(100);
  call.attempt = 2;
  call.output = Buffer.from('whole');
  await delay(150);
  call.end();
  const shown = shownIn(await said);
  expect(shown.filter(({ event }) => event === 'attempt').map(({ data }) => data['attempt'])).toEqual([1, 2]);
  expect(shown.filter(({ event }) => event === 'output').map(({ data }) => data['text'])).toEqual(['lost', 'whole']);
});

it('says that output is withheld, and shows none', async () => {
  call.output = Buffer.from('a marker');
  call.withheld = true;
  const said = text(call.follow());
  await delay(150);
  call.end();
  const shown = shownIn(await said);
  expect(shown.map(({ event }) => event)).toEqual(['ready', 'attempt', 'withheld', 'end']);
  expect(shown.at(-1)?.data).toMatchObject({ withheld: true, output_bytes: 8 });
});

it('costs a slow reader its buffer alone: it misses what is no longer kept, and others miss nothing', async () => {
  const slow = call.follow();
  const fast = text(call.follow());
  const line = `${'x'.repeat(999)}\n`;
  for (let i = 0; i < 30; i++) {
    call.output = Buffer.concat([call.output, Buffer.from(line.repeat(40))]);
    await delay(60);
    expect(slow.readableLength).toBeLessThan(256 * 1024);
  }
  call.end();
  expect(outputOf(shownIn(await fast))).toBe(line.repeat(1_200));
  const shown = shownIn(await text(slow));
  expect(shown.some(({ event }) => event === 'skipped')).toBe(true);
  expect(shown.at(-1)?.event).toBe('end');
}, 20_000);

it('asks once for all readers, and no more when none is left', async () => {
  call.output = Buffer.from('x');
  const readers = Array.from({ length: 50 }, () => call.follow());
  expect(() => call.follow()).toThrow(expect.objectContaining({ code: 'rate.limited' }));
  const said = readers.slice(1).map((reader) => text(reader));
  readers[0]?.destroy();
  await delay(120);
  expect(call.asked.length).toBeLessThan(10);
  call.end();
  for (const each of await Promise.all(said)) expect(outputOf(shownIn(each))).toBe('x');
  await delay(50);
  const asked = call.asked.length;
  await delay(200);
  expect(call.asked).toHaveLength(asked);
});

it.each([
  ['auth', new Fault('auth.invalid')],
  ['unavailable', new Fault('database.unavailable')],
] as const)('shows nothing to a key that can’t be verified: `%s`', async (reason, fault) => {
  call.output = Buffer.from('hidden');
  call.keyFault = fault;
  const shown = shownIn(await text(call.follow()));
  expect(shown.map(({ event, data }) => [event, data['reason'] ?? null])).toEqual([
    ['ready', null],
    ['end', reason],
  ]);
});

it('ends after the time that was asked for, and when the process stops', async () => {
  expect(shownIn(await text(call.follow(null, 30))).at(-1)?.data).toEqual({ reason: 'asked' });
  const said = text(call.follow());
  call.feeds.close();
  expect(shownIn(await said).at(-1)?.data).toEqual({ reason: 'stopping' });
});

it('ends at once for a call that had ended before', async () => {
  call.operation = DONE;
  call.feeds.receive = () => undefined;
  const began = performance.now();
  expect(shownIn(await text(call.follow())).map(({ event }) => event)).toEqual(['ready', 'end']);
  expect(performance.now() - began).toBeLessThan(1_000);
});
