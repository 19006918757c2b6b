// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { LineRelay, type LineRelayOptions } from './line-relay.ts';
import type { FromLineThread, ToLineThread } from './line-messages.ts';

/** A program's input and output: what was written to it, and what it says. */
class Program extends Duplex {
  written = '';
  /** takes what it was given; undefined while it takes all at once */
  takeWaiting: (() => void) | undefined;
  isReading = true;

  constructor() {
    super({ readableHighWaterMark: 65_536, writableHighWaterMark: 16_384 });
    this.on('error', () => undefined);
  }

  override _read(): void {
    // What it says is pushed.
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written += bytes.toString();
    if (this.isReading) done();
    else this.takeWaiting = done;
  }
}

let program: Program;
let relay: LineRelay;
let thread: MessagePort;
let received: ToLineThread[];
let announcements: string[];
beforeEach(() => {
  program = new Program();
});
afterEach(() => relay.close());

function open(options: Partial<LineRelayOptions> = {}): void {
  received = [];
  announcements = [];
  relay = new LineRelay({
    stream: program,
    mayCall: true,
    announce: () => {
      announcements.push(program.written);
      return Promise.resolve();
    },
    onOverrun: () => undefined,
    ...options,
  });
  thread = relay.port;
  thread.on('message', (message: ToLineThread) => received.push(message));
  post({ kind: 'open' });
}
const post = (message: FromLineThread): void => thread.postMessage(message);
const write = (message: object | string, isCall = false): void =>
  post({
    kind: 'write',
    bytes: new TextEncoder().encode(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`),
    isCall,
  });
const CALL = { jsonrpc: '2.0', id: '1.1', method: 'tools/call', params: {} };
const LIST = { jsonrpc: '2.0', id: '1.2', method: 'tools/list', params: {} };
const ended = () =>
  vi.waitFor(() => expect(received.at(-1)).toMatchObject({ kind: 'end' }), { timeout: 5_000, interval: 10 });

test('a call is announced when all before it was written, and nothing comes between', async () => {
  open();
  write(LIST);
  write(CALL, true);
  write(LIST);
  await vi.waitFor(() => expect(program.written.split('\n')).toHaveLength(4));
  expect(announcements).toEqual([`${JSON.stringify(LIST)}\n`]);
  expect(relay.hasCalled).toBe(true);
});

test.each<[string, readonly (readonly [object | string, boolean])[], Partial<LineRelayOptions>]>([
  [
    'a second call',
    [
      [CALL, true],
      [CALL, true],
    ],
    {},
  ],
  ['a call that it does not call one', [[CALL, false]], {}],
  ['a prompt that it does not call a call', [[{ ...CALL, method: 'prompts/get' }, false]], {}],
  ['a call where none may be made', [[CALL, true]], { mayCall: false }],
  ['two lines as one', [[`${JSON.stringify(LIST)}\n${JSON.stringify(CALL)}\n`, false]], {}],
  ['what is no line', [[JSON.stringify(LIST), false]], {}],
  ['several messages in a list', [[[LIST, CALL], false]], {}],
  ['a message that is too long', [[{ ...LIST, params: { cursor: 'x'.repeat(70_000) } }, false]], {}],
  ['more messages than a session has', Array.from({ length: 200 }, () => [LIST, false] as const), {}],
])('a session that wants to send %s ends, and sends nothing more', async (_what, messages, options) => {
  open(options);
  for (const [message, isCall] of messages) write(message, isCall);
  write(LIST);
  await ended();
  const calls = program.written.split('\n').filter((line) => line.includes('tools/call'));
  expect(calls.length).toBeLessThanOrEqual(messages[0]?.[1] === true && options.mayCall !== false ? 1 : 0);
  expect(relay.failure).not.toBeNull();
});

test('a call whose announcement is refused is not written, and the refusal is kept', async () => {
  const refused = new Error('fenced');
  open({ announce: () => Promise.reject(refused) });
  write(CALL, true);
  await ended();
  expect([program.written, relay.hasCalled, relay.failure?.error]).toEqual(['', false, refused]);
});

test('a session that is closed while its call is announced writes nothing', async () => {
  const announced = Promise.withResolvers<undefined>();
  open({ announce: () => announced.promise });
  write(CALL, true);
  await sleep(20);
  relay.close();
  announced.resolve(undefined);
  await sleep(20);
  expect(program.written).toBe('');
});

test('what the program says is held back while the thread does not read', async () => {
  open();
  let pushed = 0;
  while (pushed < 4 * 1_048_576) {
    program.push(Buffer.alloc(65_536, 'x'));
    pushed += 65_536;
    if (program.readableLength >= 1_048_576) break;
    await sleep(1);
  }
  await sleep(100);
  const passed = received.reduce((sum, message) => sum + (message.kind === 'bytes' ? message.bytes.length : 0), 0);
  // A window, and what one turn reads beside it.
  expect(passed).toBeLessThanOrEqual(512 * 1024);
  expect(program.readableLength).toBeGreaterThan(0);
});

test('a program that says more than a session may receive ends it', async () => {
  open();
  thread.on('message', (message: ToLineThread) => {
    if (message.kind === 'bytes') post({ kind: 'consumed', bytes: message.bytes.length });
  });
  for (let mib = 0; mib < 18; mib += 1) {
    program.push(Buffer.alloc(1_048_576, 'x'));
    await sleep(5);
  }
  await ended();
  expect(received.at(-1)).toEqual({ kind: 'end', why: 'too_large' });
});

test('the stream outlives the session, and the next one reads what comes then', async () => {
  open();
  program.push('first\n');
  await vi.waitFor(() => expect(received).toHaveLength(1));
  relay.close();
  await once(relay.port, 'close').catch(() => undefined);
  open();
  program.push('second\n');
  await vi.waitFor(() => expect(received.length).toBeGreaterThan(0));
  expect(Buffer.from((received[0] as { bytes: Uint8Array }).bytes).toString()).toBe('second\n');
  expect(program.destroyed).toBe(false);
});

test('the end of the program ends the session', async () => {
  open();
  program.push(null);
  await ended();
});

test('a message waits until the program took the one before', async () => {
  open();
  program.isReading = false;
  const long = { ...LIST, params: { cursor: 'x'.repeat(60_000) } };
  write(long);
  write(CALL, true);
  await vi.waitFor(() => expect(program.written).not.toBe(''));
  await sleep(20);
  expect([program.written.length, announcements.length, relay.hasCalled]).toEqual([
    JSON.stringify(long).length + 1,
    0,
    false,
  ]);
  expect(relay.isDrained).toBe(false);
  program.isReading = true;
  program.takeWaiting?.();
  await vi.waitFor(() => expect(relay.hasCalled).toBe(true));
  await vi.waitFor(() => expect(relay.isDrained).toBe(true));
});

test('a program that does not read leaves few bytes waiting', async () => {
  open();
  program.isReading = false;
  write({ ...CALL, params: { x: 'x'.repeat(8_000_000) } }, true);
  for (let n = 0; n < 20; n += 1) write({ ...LIST, params: { cursor: 'x'.repeat(60_000) } });
  await ended();
  expect(relay.failure).not.toBeNull();
  expect(program.writableLength).toBeLessThan(8_400_000);
});

test('a session that is closed while its program does not read ends, and writes nothing more', async () => {
  open();
  program.isReading = false;
  write({ ...LIST, params: { cursor: 'x'.repeat(60_000) } });
  write(CALL, true);
  await vi.waitFor(() => expect(program.written).not.toBe(''));
  relay.close();
  await sleep(20);
  expect([relay.hasCalled, announcements]).toEqual([false, []]);
});
