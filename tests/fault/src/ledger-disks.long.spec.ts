// SPDX-License-Identifier: Apache-2.0
// Failures of the ledger's dependencies: the disk of its memory file, the disk of its database, the database itself,
// the clock. Also a ledger that dies between its commit, its memory file and its checkpoint. In each case no
// acknowledged record is lost or moved, nothing is signed that the memory file lacks, and the checker finds nothing.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { logIdOf, subjectsOf, type TenantId } from '@writ/contract';
import { addressOf, connect, grantDatabase, MAINTENANCE_DATABASE } from '@writ/database';
import { parseCheckpoint, parseNote } from '@writ/signing';
import { eventually, Observer, SHARD, startStack, type Stack, type StackOptions } from '@writ/stack';
import { repositoryRoot, testAddress, testDatabase, type TestDatabase } from '@writ/testing';
import { Appender, LOGGED_MS, newTenant, untilAnswered, type Sent } from './appender.ts';
import { SmallDisk, whyNoSmallDisk } from './small-disk.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const why = whyNoSmallDisk();
const ANSWER_MS = 5_000;
const itOnSmallDisk = why === null ? it : it.skip;
const skipped = why === null ? '' : ` (skipped: ${why})`;

let folder: string;
let stack: Stack | undefined;
let appender: Appender | undefined;
/** Clean-up after the stack has stopped. */
const undo: (() => void | Promise<void>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-ledger-'));
  // The database server reaches its own disk through this folder.
  chmodSync(folder, 0o755);
});
afterEach(async () => {
  await appender?.close();
  await stack?.stop();
  [appender, stack] = [undefined, undefined];
  for (const each of undo.splice(0).reverse()) await each();
  rmSync(folder, { recursive: true, force: true });
});

/** A ledger alone, with a client and an observer of its database. */
async function start(options: StackOptions = {}): Promise<{ stack: Stack; kernel: Appender; observer: Observer }> {
  stack = await startStack({ without: ['kernel', 'executor', 'orchestrator'], ...options });
  appender = await Appender.of(stack);
  return { stack, kernel: appender, observer: new Observer(stack) };
}

const leaves = async (observer: Observer): Promise<number> =>
  (await observer.rows<{ n: number }>('SELECT count(*)::int AS n FROM ledger.leaf'))[0]?.n ?? 0;
const signedOf = async (observer: Observer, tenants: readonly TenantId[]): Promise<number> =>
  (
    await observer.rows<{ n: number }>('SELECT count(*)::int AS n FROM ledger.checkpoint WHERE tenant_id = ANY ($1)', [
      tenants,
    ])
  )[0]?.n ?? 0;

/** Size and root of the newest checkpoint of a log, requested as the API does. */
async function checkpointOf(running: Stack, tenant_id: TenantId): Promise<{ treeSize: number; root: Uint8Array }> {
  const bus = await running.busAs('orchestrator');
  try {
    const { checkpoint } = (await untilAnswered(() =>
      bus.request(
        subjectsOf(SHARD).request('ledger.checkpoint'),
        { v: 1, tenant_id },
        { deadline: Date.now() + ANSWER_MS },
      ),
    )) as { checkpoint: string };
    return parseCheckpoint(parseNote(checkpoint).text);
  } finally {
    await bus.close();
  }
}

itOnSmallDisk(
  `memory file's disk full: the ledger signs and appends nothing, and resumes when there is space${skipped}`,
  async () => {
    const disk = new SmallDisk(join(folder, 'memory'), { kib: 64 });
    undo.push(() => {
      disk.remove();
    });
    const {
      stack: { services },
      kernel,
      observer,
    } = await start({ env: { ledger: { WRIT_LEDGER_MEMORY_FILE: join(disk.folder, 'signed') } } });
    const before = kernel.sealed(newTenant(), 3);
    await kernel.untilLogged(before);
    disk.fill();
    // A line for each log: more than the last page of the file has free.
    const tenants = Array.from({ length: 60 }, newTenant);
    const unsigned = tenants.flatMap((tenant) => kernel.sealed(tenant, 1));
    expect(await kernel.refusalOf(unsigned)).toMatchObject({ code: 'ledger.unavailable' });
    const count = await leaves(observer);
    const later = kernel.sealed(newTenant(), 3);
    expect(await kernel.refusalOf(later)).toMatchObject({ code: 'ledger.unavailable' });
    // The failed write may have left half a line.
    await services.ledger.restart();
    expect(await kernel.refusalOf(later)).toMatchObject({ code: 'ledger.unavailable' });
    expect(await signedOf(observer, tenants)).toBe(0);
    expect(await leaves(observer)).toBeLessThanOrEqual(count + later.length);
    disk.freeSpace();
    await kernel.untilLogged(unsigned);
    await kernel.untilLogged(later);
    await kernel.expectConsistent([...before, ...unsigned, ...later]);
  },
);

type Admin = Awaited<ReturnType<typeof connect>>;

/** Queries the server itself, outside of every test database. */
async function asAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = await connect(addressOf(testAddress('WRIT_TEST_DATABASE_URL'), MAINTENANCE_DATABASE), 'ledger-disks');
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

const run = (...statements: readonly string[]): Promise<void> =>
  asAdmin(async (admin) => {
    for (const statement of statements) await admin.query(statement);
  });

/** The user of the test server, on this machine. */
async function serverUser(): Promise<number> {
  const {
    rows: [row],
  } = await asAdmin((admin) => admin.query<{ data_directory: string }>('SHOW data_directory'));
  return statSync(row?.data_directory ?? '').uid;
}

const nameOf = ({ ownerUrl }: TestDatabase): string => new URL(ownerUrl).pathname.slice(1);

/** A database whose tablespace is on a small disk. */
async function databaseOn(disk: SmallDisk): Promise<TestDatabase> {
  const database = await testDatabase();
  const name = nameOf(database);
  await run(`CREATE TABLESPACE ${name} LOCATION '${disk.folder}'`, `ALTER DATABASE ${name} SET TABLESPACE ${name}`);
  return {
    ...database,
    drop: async () => {
      await database.drop();
      await run(`DROP TABLESPACE ${name}`);
    },
  };
}

itOnSmallDisk(
  `database disk full: the ledger acknowledges only what fits, and resumes when there is space${skipped}`,
  async () => {
    const disk = new SmallDisk(join(folder, 'tables'), { kib: 96 * 1024, uid: await serverUser() });
    undo.push(() => {
      disk.remove();
    });
    const database = await databaseOn(disk);
    undo.push(() => database.drop());
    const { kernel, observer } = await start({ database });
    const tenant = newTenant();
    const sent = kernel.sealed(tenant, 5);
    await kernel.untilLogged(sent);
    disk.fill();
    await expect(
      observer.rows(`CREATE TABLE public.more AS SELECT repeat('x', 1000) FROM generate_series(1, 10000)`),
    ).rejects.toMatchObject({ code: '53100' });
    const refusal = await eventually(
      'a batch that finds no room',
      async () => {
        const batch = kernel.sealed(tenant, 100);
        sent.push(...batch);
        return await untilAnswered(() => kernel.append(batch).then(() => true as const)).then(
          () => null,
          (error: unknown) => error as { code: string },
        );
      },
      LOGGED_MS,
    );
    expect(refusal).toMatchObject({ code: 'database.unavailable' });
    disk.freeSpace();
    for (let at = 0; at < sent.length; at += 100) await kernel.untilLogged(sent.slice(at, at + 100));
    await kernel.expectConsistent(sent);
  },
);

it('older backup restored: the ledger refuses logs that are behind, and continues with the right data', async () => {
  const {
    stack: { services, database },
    stack: running,
    kernel,
    observer,
  } = await start();
  const name = nameOf(database);
  const [behind, level] = [newTenant(), newTenant()];
  const old = [behind, level].flatMap((tenant) => kernel.sealed(tenant, 4));
  await kernel.untilLogged(old);
  await checkpointOf(running, behind);
  await services.ledger.kill();
  await observer.untilRemoved('writ_ledger');
  await run(`CREATE DATABASE ${name}_backup TEMPLATE ${name}`);
  await services.ledger.start();
  const news = kernel.sealed(behind, 7);
  await kernel.untilLogged(news);
  const signed = await checkpointOf(running, behind);

  await services.ledger.kill();
  await observer.untilRemoved('writ_ledger');
  await run(`ALTER DATABASE ${name} RENAME TO ${name}_right`, `ALTER DATABASE ${name}_backup RENAME TO ${name}`);
  await asAdmin((admin) => grantDatabase(admin, name));
  undo.push(() =>
    run(`DROP DATABASE IF EXISTS ${name}_right WITH (FORCE)`, `DROP DATABASE IF EXISTS ${name}_backup WITH (FORCE)`),
  );
  await services.ledger.start();
  const later = kernel.sealed(behind, 2);
  expect(await kernel.refusalOf(later)).toMatchObject({
    code: 'ledger.diverged',
    message: expect.stringContaining('restore the newest backup') as string,
  });
  await expect(checkpointOf(running, behind)).rejects.toMatchObject({ code: 'ledger.diverged' });
  expect(await leaves(observer)).toBe(old.length);
  // A log that didn't grow since is unchanged.
  expect((await checkpointOf(running, level)).treeSize).toBe(4);

  await services.ledger.kill();
  await observer.untilRemoved('writ_ledger');
  await run(`ALTER DATABASE ${name} RENAME TO ${name}_backup`, `ALTER DATABASE ${name}_right RENAME TO ${name}`);
  await services.ledger.start();
  expect(await checkpointOf(running, behind)).toEqual(signed);
  await kernel.untilLogged(later);
  await kernel.expectConsistent([...old, ...news, ...later]);
});

it('clock jumps back, or is behind at the start: new records still come after the old ones', async () => {
  const program = join(repositoryRoot(), 'tests', 'fault', 'src', 'programs', 'ledger-with-clock.mjs');
  const {
    stack: { services },
    stack: running,
    kernel,
  } = await start({ programs: { ledger: [program] }, env: { ledger: { WRIT_TEST_HOURS_BEHIND: '1' } } });
  const tenant = newTenant();
  const sent: Sent[] = [];
  const grow = async (): Promise<void> => {
    const some = kernel.sealed(tenant, 5);
    sent.push(...some);
    await kernel.untilLogged(some);
    expect((await checkpointOf(running, tenant)).treeSize).toBe(sent.length);
  };
  await grow();
  process.kill(services.ledger.pid, 'SIGUSR2');
  await eventually(
    'a clock that was put back',
    () => Promise.resolve(services.ledger.log().includes('the clock says') || null),
    LOGGED_MS,
  );
  await grow();
  await services.ledger.restart();
  await grow();
  await kernel.expectConsistent(sent);
});

it('killed with a batch committed, its root not in the memory file: it signs the batch after a restart', async () => {
  const {
    stack: { services, folder: place },
    stack: running,
    kernel,
    observer,
  } = await start();
  const before = kernel.sealed(newTenant(), 3);
  await kernel.untilLogged(before);
  await services.ledger.kill();
  // The first signature after a start creates the file anew under this name. Opening a pipe without a reader for
  // writing blocks: the ledger stops there.
  const pipe = join(place, 'ledger', 'signed.next');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  await services.ledger.start();
  const tenant = newTenant();
  const records = kernel.sealed(tenant, 8);
  const answer = kernel.append(records).then(
    () => 'answered',
    () => 'failed',
  );
  await eventually('the leaves', async () => (await leaves(observer)) === before.length + records.length, LOGGED_MS);
  await services.ledger.kill();
  rmSync(pipe);
  expect(await answer).toBe('failed');
  expect(readFileSync(join(place, 'ledger', 'signed'), 'utf8')).not.toContain(logIdOf(tenant));
  expect(await signedOf(observer, [tenant])).toBe(0);
  await services.ledger.start();
  expect((await checkpointOf(running, tenant)).treeSize).toBe(records.length);
  expect(readFileSync(join(place, 'ledger', 'signed'), 'utf8')).toContain(logIdOf(tenant));
  await kernel.untilLogged(records);
  await kernel.expectConsistent([...before, ...records]);
});

it('killed with a root signed and acknowledged, its checkpoint not stored: it signs the same root again', async () => {
  const {
    stack: { services, folder: place },
    stack: running,
    kernel,
    observer,
  } = await start();
  const tenant = newTenant();
  const records = kernel.sealed(tenant, 8);
  // Inserts wait for this lock; reads don't.
  const letGo = await observer.hold('LOCK TABLE ledger.checkpoint IN SHARE MODE');
  try {
    await kernel.untilLogged(records);
    await observer.untilBlocked('writ_ledger');
    await services.ledger.kill();
    await observer.abort('writ_ledger');
  } finally {
    await letGo();
  }
  const remembered = readFileSync(join(place, 'ledger', 'signed'), 'utf8')
    .split('\n')
    .find((line) => line.startsWith(logIdOf(tenant)))
    ?.split(' ');
  expect(await signedOf(observer, [tenant])).toBe(0);
  await services.ledger.start();
  const { treeSize, root } = await checkpointOf(running, tenant);
  expect([String(treeSize), Buffer.from(root).toString('hex')]).toEqual(remembered?.slice(2));
  await kernel.expectConsistent(records);
});
