// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { vi } from 'vitest';
import { Fault } from '@writ/contract';
import { parseUrl } from '@writ/egress';
import { PUBLIC } from '../specs/external-hosts.ts';
import { CallGate, type CallGateOptions } from './call-gate.ts';
import { UNWATCHED } from './gate-watch.ts';
import { GateRefusal } from './gate-refusal.ts';

const HOST = 'a.outside.example';
const TARGET = parseUrl(`http://${HOST}/`);
/** How old a confirmation may be where bytes pass: the law, independent of the code's own constant. */
const OLD_MS = 1_000;

type Answer = { readonly afterMs: number; readonly error: Error | null };
const FENCED = new Fault('attempt.fenced');
const confirmed = (afterMs: number): Answer => ({ afterMs, error: null });
const failed = (afterMs: number, error: Error): Answer => ({ afterMs, error });
const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A gate whose kernel gives the answers in turn, the last one again and again; and what breaks the law there. */
function gateWith(answers: readonly Answer[], dialMs = 0, more: Partial<CallGateOptions> = {}) {
  let confirmedAt = -Infinity;
  let asked = 0;
  const violations: number[] = [];
  const watch = {
    ...UNWATCHED,
    passed: () => {
      const ageMs = performance.now() - confirmedAt;
      if (!(ageMs <= OLD_MS)) violations.push(ageMs);
    },
  };
  const confirm = async (): Promise<void> => {
    const requestedAt = performance.now();
    const answer = answers[Math.min(asked++, answers.length - 1)]!;
    await sleep(answer.afterMs);
    if (answer.error !== null) throw answer.error;
    confirmedAt = requestedAt;
  };
  const gate = new CallGate({
    net: [[{ domain: HOST, methods: ['GET', 'POST'] }]],
    bytesMax: 1_000_000,
    requestsMax: 100,
    ports: { resolve: () => Promise.resolve([PUBLIC]), dial: () => sleep(dialMs).then(echo) },
    now: () => performance.now(),
    signal: new AbortController().signal,
    preview: null,
    confirm,
    announce: () => Promise.resolve(),
    watch,
    ...more,
  });
  return { gate, violations, asked: () => asked };
}

/** The other side: it sends back what it gets. */
const echo = (): Duplex =>
  new Duplex({
    read: () => undefined,
    write(this: Duplex, bytes: Buffer, _encoding, done) {
      this.push(bytes);
      done();
    },
    final(this: Duplex, done) {
      this.push(null);
      done();
    },
  });

const PARTS = 30;
/** Sends parts with a pause before each, and resolves with how many came back. */
async function converse(gate: CallGate, pauseMs: number): Promise<number> {
  const { connection } = await gate.admit('GET', TARGET, '');
  let received = 0;
  connection.on('data', (bytes: Buffer) => (received += bytes.length));
  const ended = new Promise<number>((resolve, reject) => {
    connection.once('error', reject).once('end', () => resolve(received));
  });
  ended.catch(() => undefined);
  for (let part = 0; part < PARTS && !connection.destroyed; part++) {
    await sleep(pauseMs);
    connection.write('x');
  }
  connection.end();
  return await ended;
}

/** What the work comes to within a minute of fake time; null while it is not settled. */
async function outcome<T>(work: Promise<T>): Promise<T | GateRefusal | null> {
  let settled: T | GateRefusal | null = null;
  work.then(
    (value) => (settled = value),
    (error: unknown) => (settled = error as GateRefusal),
  );
  for (let at = 0; at < 60_000 && settled === null; at += 50) await vi.advanceTimersByTimeAsync(50);
  return settled;
}

const passing = fc.constantFrom(
  new Fault('overloaded'),
  new Fault('deadline'),
  new Fault('bus.unreachable'),
  new Fault('database.unavailable'),
);
const slow = fc.integer({ min: 0, max: 900 }).map(confirmed);

it('slow confirmations and passing errors break no connection, and no byte passes on an old confirmation', async () => {
  const answer = fc.oneof(
    { arbitrary: slow, weight: 4 },
    {
      arbitrary: fc.tuple(fc.integer({ min: 0, max: 1_000 }), passing).map(([ms, error]) => failed(ms, error)),
      weight: 1,
    },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(answer, { maxLength: 12 }),
      slow,
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 0, max: 1_500 }),
      async (answers, last, pauseMs, dialMs) => {
        const { gate, violations } = gateWith([...answers, last], dialMs);
        expect(await outcome(converse(gate, pauseMs))).toBe(PARTS);
        expect(violations).toEqual([]);
        gate.close();
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);

it('no byte passes on an old confirmation, whatever the kernel answers', async () => {
  const answer = fc
    .tuple(fc.integer({ min: 0, max: 2_500 }), fc.option(fc.oneof(passing, fc.constant(FENCED)), { nil: null }))
    .map(([afterMs, error]) => ({ afterMs, error }));
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 8 }), async (answers) => {
      const { gate, violations } = gateWith(answers);
      expect(await outcome(converse(gate, 150))).not.toBeNull();
      expect(violations).toEqual([]);
      gate.close();
    }),
    { numRuns: 60 },
  );
}, 60_000);

describe('the gate', () => {
  it('asks at once when a connection opens with an old confirmation', async () => {
    const { gate, asked } = gateWith([confirmed(0)], 900);
    expect(await outcome(gate.admit('GET', TARGET, ''))).toHaveProperty('connection');
    await vi.advanceTimersByTimeAsync(10);
    expect(asked()).toBe(2);
    gate.close();
  });

  it('ends a call at once that the kernel refuses, before and during a connection', async () => {
    const before = gateWith([failed(0, FENCED)]);
    expect(await outcome(before.gate.admit('GET', TARGET, ''))).toMatchObject({ code: 'egress.refused' });
    expect(before.asked()).toBe(1);
    const during = gateWith([confirmed(0), failed(10, FENCED)]);
    const began = performance.now();
    expect(await outcome(converse(during.gate, 100))).toMatchObject({ code: 'egress.refused' });
    expect(performance.now() - began).toBeLessThan(700);
    expect([during.asked(), during.gate.brokenBy?.code]).toEqual([2, 'egress.refused']);
    // The confirmation before the refusal is younger than a second, and admits nothing more.
    expect(await outcome(during.gate.admit('GET', TARGET, ''))).toMatchObject({ code: 'egress.refused' });
    expect(during.asked()).toBe(3);
  });

  it('holds bytes while the kernel is silent, and refuses them after ten seconds', async () => {
    const { gate, violations } = gateWith([confirmed(0), failed(1_000, new Fault('deadline'))]);
    const began = performance.now();
    expect(await outcome(converse(gate, 100))).toMatchObject({ code: 'egress.refused' });
    expect(performance.now() - began).toBeGreaterThan(10_000);
    expect(performance.now() - began).toBeLessThan(13_000);
    expect([violations, gate.bytes < PARTS]).toEqual([[], true]);
  });

  it('ends a wait for the kernel when it closes', async () => {
    const { gate } = gateWith([failed(0, new Fault('overloaded'))]);
    const admitted = gate.admit('GET', TARGET, '');
    setTimeout(() => gate.close(), 300);
    const began = performance.now();
    expect(await outcome(admitted)).toMatchObject({ code: 'egress.refused' });
    expect(performance.now() - began).toBeLessThan(500);
  });

  it('announces a request again after a passing error, and never after a refusal', async () => {
    for (const [errors, code] of [
      [[new Fault('overloaded'), new Fault('deadline')], null],
      [[new Fault('overloaded'), FENCED], 'egress.refused'],
    ] as const) {
      const left: Error[] = [...errors];
      let announced = 0;
      const announce = async (): Promise<void> => {
        announced += 1;
        const error = left.shift();
        if (error !== undefined) throw error;
        await sleep(1);
      };
      const { gate } = gateWith([confirmed(0)], 0, { announce });
      const result = await outcome(gate.admit('POST', TARGET, ''));
      if (code === null) expect(result).toHaveProperty('connection');
      else expect(result).toMatchObject({ code });
      expect(announced).toBe(code === null ? 3 : 2);
      gate.close();
    }
  });

  it('ends the wait of an announcement when it closes', async () => {
    const { gate } = gateWith([confirmed(0)], 0, { announce: () => Promise.reject(new Fault('overloaded')) });
    const admitted = gate.admit('POST', TARGET, '');
    setTimeout(() => gate.close(), 300);
    const began = performance.now();
    expect(await outcome(admitted)).toMatchObject({ code: 'egress.refused' });
    expect(performance.now() - began).toBeLessThan(500);
  });
});
