// SPDX-License-Identifier: Apache-2.0
// The disk of the database's write-ahead log is full. Unlike a full disk of tables, which costs a statement, this ends
// the server: it can neither write what it would commit nor recover without writing. What the ledger answered for
// before is there when the disk has room again.
import { join } from 'node:path';
import { vi } from 'vitest';
import { eventually, startStack, type Stack } from '@writ/stack';
import { Appender, LOGGED_MS, newTenant, untilAnswered } from './appender.ts';
import { OwnPostgres, whyNoOwnPostgres } from './own-postgres.ts';
import { SmallDisk, whyNoSmallDisk } from './small-disk.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const why = whyNoSmallDisk() ?? whyNoOwnPostgres();
const itOnOwnPostgres = why === null ? it : it.skip;

/** Segments of the least size, so that a small disk holds several. */
const SEGMENT_MIB = 1;
const DISK_MIB = 48;

let postgres: OwnPostgres | undefined;
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

itOnOwnPostgres(
  `the disk of the write-ahead log is full and the server ends: nothing is answered for that isn't kept, and with room again the ledger goes on by itself${why === null ? '' : ` (skipped: ${why})`}`,
  async () => {
    const server = (postgres = new OwnPostgres());
    const small = (disk = new SmallDisk(join(server.folder, 'wal'), { kib: DISK_MIB * 1_024, uid: server.owner.uid }));
    const data = join(server.ownFolder('cluster'), 'data');
    await server.init(data, `--waldir=${join(small.folder, 'pg_wal')}`, `--wal-segsize=${SEGMENT_MIB}`);
    // No segment is kept to be used again, so that the next one needs room.
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
    // It recovers, which needs room too, and ends.
    await server.end();
    await expect(server.start(data, settings)).rejects.toThrow('Postgres ended');
    expect(services.ledger.isRunning).toBe(true);
    expect(await sender.refusalOf(sender.sealed(tenant, 1))).toMatchObject({ code: 'database.unavailable' });

    small.makeRoom();
    await server.start(data, settings);
    for (let at = 0; at < sent.length; at += 100) await sender.untilLogged(sent.slice(at, at + 100));
    await sender.expectWhole(sent);
  },
);
