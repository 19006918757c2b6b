// SPDX-License-Identifier: Apache-2.0
// Postgres, the bus or the ledger is down, silent, or slow. Callers get a fault with the right code within a time
// limit, nothing runs unrecorded, and calls succeed again by themselves afterwards.
import { vi } from 'vitest';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  Proxy,
  startStack,
  type Answer,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { testDatabase, type TestDatabase } from '@writ/testing';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const TUNING = { WRIT_LEASE_MS: '4000', WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '250' };
/**
 * The longest wait of a client: four sends of a call, or a statement that a silent server never answers, on a slow
 * machine.
 */
const ANSWER_MS = 40_000;

let database: TestDatabase;
let kernels: Proxy;
let ledgers: Proxy;
let stack: Stack;
let world: World;
let observer: Observer;

beforeAll(async () => {
  database = await testDatabase();
  const { hostname, port } = new URL(database.ownerUrl);
  kernels = await Proxy.to({ host: hostname, port: Number(port) });
  ledgers = await Proxy.to({ host: hostname, port: Number(port) });
  // Only the kernel meets the outage: the API works, so that the answers are the kernel's.
  const urlFor: TestDatabase['urlFor'] = (role) => {
    const url = new URL(database.urlFor(role));
    if (role.startsWith('writ_kernel')) url.host = `127.0.0.1:${kernels.port}`;
    if (role === 'writ_ledger') url.host = `127.0.0.1:${ledgers.port}`;
    return url.href;
  };
  stack = await startStack({ database: { ...database, urlFor }, env: { kernel: TUNING }, busProxies: ['kernel'] });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  await kernels?.close();
  await ledgers?.close();
  await database?.drop();
});

let written = 0;
const write = (): Promise<Answer<JsonValue>> => world.call('fs.write', { path: `f${written++}.txt`, content: 'x' });
/** The fault of a call, and how long its answer took. */
async function faultOf(
  call: () => Promise<Answer<JsonValue>>,
): Promise<{ code: string; status: number; retryAfter: string | null }> {
  const at = performance.now();
  const { status, body, headers } = await call();
  expect(performance.now() - at).toBeLessThan(ANSWER_MS);
  return { code: body.code as string, status, retryAfter: headers.get('retry-after') };
}
async function expectRecovered(): Promise<void> {
  await eventually('a call passes again', async () => (await write()).body.tx_outcome === 'committed', 60_000);
  await eventually(
    'nothing is under way',
    async () =>
      (
        await observer.rows(
          `SELECT 1 FROM kernel.operation WHERE state NOT IN ('refused', 'committed', 'rolled_back', 'no_op', 'ambiguous')`,
        )
      ).length === 0,
    60_000,
  );
  await observer.untilLogged();
  // Every operation has its decision in the log, and every ended one its outcome.
  const unrecorded = await observer.rows(`SELECT o.operation_id FROM kernel.operation o
    WHERE NOT EXISTS (SELECT 1 FROM ledger.leaf l WHERE l.record_id = o.decision_record_id)
       OR (o.outcome_record_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ledger.leaf l WHERE l.record_id = o.outcome_record_id))`);
  expect(unrecorded).toEqual([]);
  expectCleanLog(stack);
}
const heads = async (): Promise<number> => (await observer.rows('SELECT 1 FROM kernel.snapshot')).length;

it.each([
  ['Postgres is gone', () => kernels.shut(), () => kernels.release(), ['database.unavailable']],
  [
    'Postgres is there and silent',
    () => {
      kernels.hold('in');
      kernels.hold('out');
    },
    () => kernels.release(),
    ['bus.unreachable', 'database.unavailable'],
  ],
  [
    'the bus is there and silent',
    () => {
      stack.busProxy('kernel').hold('in');
      stack.busProxy('kernel').hold('out');
    },
    () => stack.busProxy('kernel').release(),
    ['bus.unreachable'],
  ],
  [
    'the bus is gone',
    () => stack.busProxy('kernel').shut(),
    () => stack.busProxy('kernel').release(),
    ['bus.unreachable'],
  ],
] as const)(
  '%s: calls get the right fault, nothing runs, and calls succeed when it is back',
  async (_what, strike, heal, codes) => {
    expect((await write()).body.tx_outcome).toBe('committed');
    const before = await heads();
    strike();
    try {
      const faults = await Promise.all([faultOf(write), faultOf(write), faultOf(write)]);
      for (const { code, status, retryAfter } of faults)
        expect({ code: codes.some((one) => one === code) || code, status, retryAfter }).toEqual({
          code: true,
          status: 503,
          retryAfter: expect.stringMatching(/^\d+$/),
        });
      expect(await heads()).toBe(before);
    } finally {
      heal();
    }
    await expectRecovered();
  },
);

it('silent connections to Postgres are closed, and calls succeed over new ones', async () => {
  // The kernel's maximum of connections, so that it can't open another.
  await Promise.all(Array.from({ length: 40 }, write));
  kernels.freezeUntilUnassigned();
  await Promise.all(Array.from({ length: 40 }, () => faultOf(write)));
  await expectRecovered();
});

it.each([
  [
    'frozen',
    () => {
      stack.services.ledger.freeze();
    },
    async (): Promise<void> => {
      stack.services.ledger.thaw();
    },
  ],
  [
    'gone',
    () => {
      void stack.services.ledger.kill();
    },
    (): Promise<void> => stack.services.ledger.start(),
  ],
] as const)(
  'the ledger is %s for longer than the backlog may wait: nothing is admitted until it is logged',
  async (_what, strike, heal) => {
    strike();
    try {
      // A decision below the limit has its record in the outbox, and its receipt is pending.
      expect((await write()).body).toMatchObject({ tx_outcome: 'committed', receipt: { state: 'pending' } });
      const refused = await eventually(
        'the backlog is too old',
        async () => {
          const answer = await write();
          return answer.status === 503 ? answer : null;
        },
        30_000,
      );
      expect([refused.body.code, refused.headers.get('retry-after')]).toEqual(['record.backlog', '5']);
      const before = await heads();
      expect((await faultOf(write)).code).toBe('record.backlog');
      expect(await heads()).toBe(before);
    } finally {
      await heal();
    }
    await expectRecovered();
  },
);

/** Delay of each chunk: a statement or a message takes twice that, and a call has some ten of them. */
const SLOW_MS = 150;

it.each([
  ['Postgres', (ms: number) => kernels.slow(ms)],
  ['the bus', (ms: number) => stack.busProxy('kernel').slow(ms)],
  ['the ledger', (ms: number) => ledgers.slow(ms)],
] as const)('%s is slow: each call ends or fails within a time limit, and is recorded', async (what, slow) => {
  slow(SLOW_MS);
  try {
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const at = performance.now();
        const { status, body } = await write();
        expect(performance.now() - at).toBeLessThan(ANSWER_MS);
        // A call waits only a moment for the log: it is done when its record is durable, and its receipt is pending.
        if (what === 'the ledger') expect([status, body.tx_outcome]).toEqual([200, 'committed']);
        // Leases are renewed over the same slow bus: after three lost leases the call ends with a fault.
        else if (status === 200)
          expect([
            [undefined, 'committed'],
            ['attempts.exhausted', 'rolled_back'],
          ]).toContainEqual([body.error?.code, body.tx_outcome]);
        else expect([202, 503]).toContain(status);
      }),
    );
  } finally {
    slow(0);
  }
  await expectRecovered();
});

it('a slow ledger delays no answer: it comes long before its receipt', async () => {
  // Several times as long as an answer waits for the log.
  ledgers.slow(1_000);
  try {
    const { body } = await write();
    expect(body).toMatchObject({ tx_outcome: 'committed', receipt: { state: 'pending' } });
  } finally {
    ledgers.slow(0);
  }
  await expectRecovered();
});
