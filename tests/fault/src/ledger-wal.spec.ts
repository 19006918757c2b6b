// SPDX-License-Identifier: Apache-2.0
// The disk of the database's write-ahead log is full. A full disk of tables fails a statement; this one ends the
// server, which can't recover without writing either. What the ledger acknowledged before is there when the disk has
// space again.
import { join } from 'node:path';
import { vi } from 'vitest';
import { eventually, startStack, type Stack } from '@writ/stack';
import { Appender, LOGGED_MS, newTenant, untilAnswered } from './appender.ts';
import { PrivatePostgres, whyNoPrivatePostgres } from './private-postgres.ts';
import { SmallDisk, whyNoSmallDisk } from './small-disk.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const why = whyNoSmallDisk() ?? whyNoPrivatePostgres();
const itOnPrivatePostgres = why === null ? it : it.skip;

/** The smallest segment size, so that a small disk holds several. */
const SEGMENT_MIB = 1;
const DISK_MIB = 48;

let postgres: PrivatePostgres | undefined;
let disk: SmallDisk | undefined;
let stack: Stack | undefined;
let kernel: Appender | undefined;

afterEach(async () => {
  await kernel?.close();
  await stack?.stop();
  await postgres?.end('SIGKILL');
  disk?.remove();
  await postgres?.remove();
});

itOnPrivatePostgres(
  `full write-ahead log disk: loses no record, and resumes with space${why === null ? '' : ` (skipped: ${why})`}`,
  async () => {
    const server = (postgres = new PrivatePostgres());
    const small = (disk = new SmallDisk(join(server.folder, 'wal'), { kib: DISK_MIB * 1_024, uid: server.owner.uid }));
    const data = join(server.ownFolder('cluster'), 'data');
    await server.init(data, `--waldir=${join(small.folder, 'pg_wal')}`, `--wal-segsize=${SEGMENT_MIB}`);
    // No segment is recycled, so that the next one needs space.
    const settings = { min_wal_size: '2MB', max_wal_size: '16MB', wal_recycle: 'off' };
    await server.start(data, settings);
    const { services } = (stack = await startStack({
      without: ['kernel', 'executor', 'orchestrator'],
      database: await server.database(),
    }));
    const sender = (kernel = await Appender.of(stack));
    const tenant = newTenant();
    const sent = sender.sealed(tenant, 20);
    await sender.untilLogged(sent);

    small.fill();
    const refusal = await eventually(
      'a batch that finds no room',
      async () => {
        const batch = sender.sealed(tenant, 100);
        sent.push(...batch);
        return await untilAnswered(() => sender.append(batch).then(() => true as const)).then(
          () => null,
          (error: unknown) => error as { code: string },
        );
      },
      LOGGED_MS,
    );
    expect(refusal).toMatchObject({ code: 'database.unavailable' });
    // It starts recovery, which needs space too, and ends.
    await server.end();
    await expect(server.start(data, settings)).rejects.toThrow('Postgres ended');
    expect(services.ledger.isRunning).toBe(true);
    expect(await sender.refusalOf(sender.sealed(tenant, 1))).toMatchObject({ code: 'database.unavailable' });

    small.freeSpace();
    await server.start(data, settings);
    for (let at = 0; at < sent.length; at += 100) await sender.untilLogged(sent.slice(at, at + 100));
    await sender.expectConsistent(sent);
  },
);
