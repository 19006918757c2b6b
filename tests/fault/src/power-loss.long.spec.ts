// SPDX-License-Identifier: Apache-2.0
// SIGKILL keeps the page cache, so it tests no fsync. Here Postgres runs on a file system that drops what was not
// synced.
import { vi } from 'vitest';
import { connect } from '@writ/database';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type Stack,
  type World,
} from '@writ/stack';
import { LossyPostgres, whyNoPowerCut } from './lossy-postgres.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const why = whyNoPowerCut();
const describePowerCut = why === null ? describe : describe.skip;
/** A gap in the table of numbers is a lost commit. */
const ROWS = 200;

async function commitRows(url: string): Promise<void> {
  const client = await connect(url, 'power-loss');
  await client.query('CREATE TABLE kept (n int PRIMARY KEY)');
  for (let n = 0; n < ROWS; n++) await client.query('INSERT INTO kept VALUES ($1)', [n]);
  client.on('error', () => undefined);
  client.end().catch(() => undefined);
}

async function rowsLeft(postgres: LossyPostgres): Promise<number> {
  try {
    await postgres.powerUp();
    const client = await connect(postgres.url, 'power-loss');
    try {
      return Number((await client.query<{ n: string }>('SELECT count(*) AS n FROM kept')).rows[0]?.n);
    } finally {
      await client.end();
    }
  } catch {
    // It doesn't start, or the table is gone.
    return 0;
  }
}

describePowerCut(`power loss${why === null ? '' : ` (skipped: ${why})`}`, () => {
  it('the test itself works: a disk that fakes syncs loses commits, an honest one none', async () => {
    for (const dropsSynced of [true, false]) {
      const postgres = await LossyPostgres.make({ dropsSynced });
      try {
        await commitRows(postgres.url);
        await postgres.cutPower();
        const left = await rowsLeft(postgres);
        if (dropsSynced) expect(left).toBeLessThan(ROWS);
        else expect(left).toBe(ROWS);
      } finally {
        await postgres.remove();
      }
    }
  });

  it('loses no answered call: same outcome, and its record in a log that verifies', async () => {
    const postgres = await LossyPostgres.make({ dropsSynced: false });
    let stack: Stack | undefined;
    try {
      stack = await startStack({
        database: await postgres.database(),
        env: { kernel: { WRIT_LEASE_MS: '2000', WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '250' } },
      });
      const world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
      const answered = await callUntilTheLightsGoOut(stack, world, postgres);
      expect(answered.size).toBeGreaterThan(10);

      await postgres.powerUp();
      await stack.nats.start();
      for (const name of ['ledger', 'kernel', 'executor', 'orchestrator'] as const) await stack.services[name].start();
      const observer = new Observer(stack);
      await eventually(
        'every call ended',
        async () =>
          (
            await observer.rows(
              `SELECT 1 FROM kernel.operation WHERE state NOT IN ('refused', 'committed', 'rolled_back', 'no_op', 'ambiguous')`,
            )
          ).length === 0,
        60_000,
      );
      await observer.untilLogged(60_000);
      for (const [operationId, outcome] of answered) {
        const { body } = await world.admin.get(`/v1/operations/${operationId}`);
        expect({ operationId, outcome: body.result?.tx_outcome as unknown }).toEqual({ operationId, outcome });
        await verifiedReceipt(stack, world, operationId);
      }
      expectCleanLog(stack);
    } finally {
      await stack?.stop();
      await postgres.remove();
    }
  });
});

/** Eight clients call; after enough answers everything ends at once, with calls in flight. */
async function callUntilTheLightsGoOut(
  stack: Stack,
  world: World,
  postgres: LossyPostgres,
): Promise<Map<string, string>> {
  const answered = new Map<string, string>();
  let isDark = false;
  const client = async (number: number): Promise<void> => {
    for (let i = 0; !isDark; i++) {
      const call =
        i % 5 === 4
          ? world.call('shell.run', { command: `echo ${i} > s${number}.txt` })
          : world.call('fs.write', { path: `c${number}/${i}.txt`, content: `${i}` });
      const answer = await call.catch(() => null);
      if (answer?.status === 200) answered.set(answer.body.operation_id as string, answer.body.tx_outcome as string);
    }
  };
  const clients = Array.from({ length: 8 }, (_, number) => client(number));
  await eventually('enough answers', () => Promise.resolve(answered.size >= 60), 60_000);
  isDark = true;
  await Promise.all([
    postgres.cutPower(),
    stack.nats.kill(),
    ...Object.values(stack.services).map((service) => service.kill()),
  ]);
  await Promise.all(clients);
  return answered;
}
