// SPDX-License-Identifier: Apache-2.0
// SIGTERM under load: what happens to the calls that a stopping process has.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { vi } from 'vitest';
import Docker from 'dockerode';
import { repositoryRoot, testAddress } from '@writ/testing';
import { newId } from '@writ/nest-kit';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Longer than the test, so that no result depends on an expired lease. */
const LEASE_MS = 300_000;
const PROMPTLY_MS = 25_000;
const PROGRAM = join(repositoryRoot(), 'tests', 'fault', 'src', 'programs', 'executor-with-effect.mjs');

let stack: Stack;
let world: World;
let observer: Observer;
beforeAll(async () => {
  stack = await startStack({
    env: {
      kernel: { WRIT_SWEEP_MS: '200', WRIT_LEASE_MS: String(LEASE_MS) },
      executor: { WRIT_SLOTS_SANDBOXED: '3', WRIT_DRAIN_MS: '1500' },
    },
    without: ['executor'],
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

const run = (command: string, key: string): Promise<JsonValue> =>
  world.call('shell.run', { command }, { idempotency_key: key }, 50_000).then(({ body }) => body);
const containersOf = async (executorId: string): Promise<number> => {
  const docker = new Docker({ socketPath: testAddress('DOCKER_HOST').replace('unix://', '') });
  return (await docker.listContainers({ all: true, filters: { label: [`writ.owner=${executorId}`] } })).length;
};
const performing = (executorId: string) =>
  observer.rows<{ operation_id: string; idempotency_key: string }>(
    `SELECT operation_id, idempotency_key FROM kernel.operation WHERE state = 'performing' AND executor_id = $1`,
    [executorId],
  );
const expectOneOutcome = async (keys: readonly string[]) => {
  for (const key of keys) {
    const { operation_id } = await observer.operation(key);
    // A record is durable before its index in the log is.
    await eventually(
      `the outcome of ${key} is logged`,
      async () => (await observer.outcomes(operation_id as string)) > 0,
    );
    expect(await observer.outcomes(operation_id as string)).toBe(1);
  }
};

it("an executor that gets SIGTERM under load loses no call: another one runs what it can't finish", async () => {
  const id = newId('executor');
  const stopping = await stack.another('executor', { WRIT_EXECUTOR_ID: id });
  const staying = await stack.another('executor');
  try {
    const started = Date.now();
    const keys = Array.from({ length: 10 }, (_, i) => `drain-${i}`);
    // Some end within the grace period, and some don't.
    const answers = keys.map((key, i) => run(`sleep ${i % 2 === 0 ? 0.3 : 4}; echo ${i} > f${i}.txt`, key));
    await eventually('the stopping executor has a call that takes longer than its grace period', async () =>
      (await performing(id)).some(({ idempotency_key }) => /[13579]$/.test(idempotency_key)),
    );
    await stopping.kill('SIGTERM');
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject({ status: 'ok', tx_outcome: 'committed' });
    expect(Date.now() - started).toBeLessThan(LEASE_MS / 4);
    for (const i of keys.keys()) expect(await world.file(`f${i}.txt`)).toBe(`${i}\n`);
    await expectOneOutcome(keys);
    expect(await observer.rows('SELECT 1 FROM kernel.operation WHERE leases_lost > 0')).toEqual([]);
    expect((await observer.rows('SELECT 1 FROM kernel.operation WHERE attempt > 1')).length).toBeGreaterThan(0);
    expect(stopping.log()).not.toContain('has not ended in time');
    expect(await containersOf(id)).toBe(0);
  } finally {
    await Promise.all([stopping.kill(), staying.kill()]);
  }
});

it("a session's shell ends with its executor: its running call and the next one fail at once", async () => {
  const id = newId('executor');
  const stopping = await stack.another('executor', { WRIT_EXECUTOR_ID: id });
  const ask =
    (session_id: string) =>
    async (args: Record<string, unknown>): Promise<JsonValue> =>
      (await world.call('shell.session', args, { session_id }, 50_000)).body;
  const [idle, busy] = [ask('idle'), ask('busy')];
  await idle({ command: 'X=5' });
  const running = busy({ command: 'echo half > half.txt; sleep 1000', yield_ms: 60_000 });
  await eventually('the command is under way', async () => (await performing(id)).length > 0);
  const staying = await stack.another('executor');
  try {
    const started = Date.now();
    await stopping.kill('SIGTERM');
    expect(await running).toMatchObject({
      status: 'error',
      error: { code: 'session.lost' },
      tx_outcome: 'rolled_back',
    });
    expect(await idle({ command: 'echo "$X"' })).toMatchObject({ error: { code: 'session.lost' } });
    expect(await idle({ command: 'echo "X is $X"' })).toMatchObject({
      result: { shell: 'started', output: 'X is \n' },
    });
    expect(Date.now() - started).toBeLessThan(PROMPTLY_MS);
    expect(await world.file('half.txt')).toBeNull();
    expect(await containersOf(id)).toBe(0);
  } finally {
    await Promise.all([stopping.kill(), staying.kill()]);
  }
});

describe('with an external effect started', () => {
  let fakeInternet: Server;
  let posts: number;
  beforeAll(async () => {
    posts = 0;
    fakeInternet = createServer((request, response) => {
      request.resume().on('end', () => {
        posts += 1;
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(fakeInternet, 'listening');
  });
  afterAll(() => {
    fakeInternet.close();
  });

  it('a call of a stopping executor ends ambiguous at once, and is not retried', async () => {
    const env = {
      WRIT_TEST_EFFECT_OBEYS: 'yes',
      WRIT_TEST_EFFECT_URL: `http://127.0.0.1:${(fakeInternet.address() as AddressInfo).port}/`,
    };
    const [stopping, staying] = [
      await stack.another('executor', env, [PROGRAM]),
      await stack.another('executor', env, [PROGRAM]),
    ];
    try {
      const answer = run('echo x > x.txt', 'effect');
      await eventually('the effect', () => Promise.resolve(posts > 0));
      await Promise.all([stopping.kill('SIGTERM'), staying.kill('SIGTERM')]);
      expect(await answer).toMatchObject({
        status: 'error',
        error: { code: 'effect.ambiguous' },
        tx_outcome: 'ambiguous',
      });
      expect([posts, await world.file('x.txt')]).toEqual([1, null]);
      await expectOneOutcome(['effect']);
    } finally {
      await Promise.all([stopping.kill(), staying.kill()]);
    }
  });
});

it.each(['kernel', 'orchestrator', 'ledger'] as const)(
  'a %s that gets SIGTERM under load, with another replica beside or after it, loses no call',
  async (name) => {
    const executor = await stack.another('executor');
    const other = name === 'kernel' ? await stack.another('kernel') : null;
    try {
      const keys = Array.from({ length: 6 }, (_, i) => `${name}-${i}`);
      const asked = keys.map((key, i) => run(`sleep 0.2; echo ${i} > ${name}${i}.txt`, key).catch(() => null));
      await eventually(
        'calls are decided',
        async () =>
          (await observer.rows(`SELECT 1 FROM kernel.operation WHERE idempotency_key = $1`, [keys[0]])).length > 0,
      );
      await stack.services[name].kill('SIGTERM');
      expect(stack.services[name].log()).not.toContain('has not ended in time');
      await stack.services[name].start();
      await Promise.all(asked);
      // The same keys again: the calls that were decided, and none twice.
      for (const [i, key] of keys.entries()) {
        expect(await run(`sleep 0.2; echo ${i} > ${name}${i}.txt`, key)).toMatchObject({
          status: 'ok',
          tx_outcome: 'committed',
        });
      }
      await expectOneOutcome(keys);
      // A decision whose ledger stopped is sent again some seconds later, while its outcome is sent at once. So the log
      // is checked when nothing waits.
      await observer.untilLogged();
      expectCleanLog(stack);
    } finally {
      await Promise.all([executor.kill(), other?.kill()]);
    }
  },
);
