// SPDX-License-Identifier: Apache-2.0
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newId, VERSION } from '@writ/nest-kit';
import { Slots } from '../../execution/dispatch/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { ReportSystem } from './report-system.ts';

let kernel: TestKernel;
openKernelSpec((on) => {
  ({ kernel } = on);
});

const MIGRATIONS = readdirSync(join(import.meta.dirname, '../../../sql/migrations')).map((name) =>
  name.replace(/\.sql$/, ''),
);
const slots = new Slots(() => 0);
const report = () => new ReportSystem(kernel.tenants, kernel.workers, slots, Date.now).run();

it('the report has versions, clocks, settings, connections, executors and all migrations', async () => {
  const executor_id = newId('executor');
  slots.note({ v: 1, executor_id, inline: 2, sandboxed: 1, broker: 0 });
  const said = await report();
  expect(said).toMatchObject({
    version: VERSION,
    pools: {
      tenants: { waiting: 0, connections_max: expect.any(Number) },
      workers: { connections: expect.any(Number) },
    },
    database: { version: expect.stringMatching(/^\d+/), settings: { full_page_writes: expect.any(String) } },
    executors: [{ executor_id, slots: { inline: 2, sandboxed: 1 }, free: { inline: 2 }, seen_ms_ago: 0 }],
  });
  expect(Math.abs(said.now - said.database.now)).toBeLessThan(60_000);
  expect(said.migrations.map(({ name }) => name)).toEqual(MIGRATIONS.toSorted());
});

it('it says that a COMMIT may be lost where the server does not wait for the disk', async () => {
  const { database } = await report();
  const { rows } = await kernel.admin.query<{ name: string; setting: string }>(
    "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')",
  );
  expect(database.settings).toEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])));
  expect(database.durable).toBe(rows.every(({ setting }) => setting !== 'off'));
});

it('records of all tenants that wait for the ledger are counted', async () => {
  const before = (await report()).outbox.rows;
  const tenant = await kernel.newTenant();
  await kernel.admit.run(tenant.writeCall(await tenant.token()), null);
  const { outbox } = await report();
  expect(outbox).toEqual({ rows: before + 1, oldest_at: expect.any(Number) });
});
