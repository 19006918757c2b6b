// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@writ/database';
import { startStack, type Stack } from '@writ/stack';
import type { Load, Metric } from '../measure.ts';
import { processorTime, printEach } from '../processor-time.ts';
import { inlineCalls, makeWorlds, sandboxedCalls } from './calls.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

const KIB = 1024;
const MIB = KIB * KIB;
const PROCESSES = ['orchestrator', 'kernel', 'executor', 'ledger'] as const;
/** Milliseconds after which records have left the outbox: they go to the log after the answer. */
const SETTLE_MS = 3_000;
/** Tables that grow by less than a hundredth of a call are not listed. */
const TABLES_SHOWN = 10;

interface Stored {
  /** bytes of each table with its indexes and long values */
  readonly tables: ReadonlyMap<string, number>;
  /** bytes of write-ahead log that the server has written so far */
  readonly log: number;
}

async function stored({ database }: Stack): Promise<Stored> {
  const owner = await connect(database.ownerUrl, 'bench');
  try {
    const { rows } = await owner.query<{ name: string; bytes: number }>(
      `SELECT n.nspname || '.' || c.relname AS name, pg_total_relation_size(c.oid) AS bytes
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname IN ('kernel', 'ledger', 'orchestrator', 'blobs', 'audio', 'info_store')`,
    );
    const log = await owner.query<{ bytes: string }>(`SELECT (pg_current_wal_lsn() - '0/0')::text AS bytes`);
    return { tables: new Map(rows.map(({ name, bytes }) => [name, bytes])), log: Number(log.rows[0]?.bytes) };
  } finally {
    await owner.end();
  }
}

/** Prints the memory of each process, in MiB. */
function printMemory(when: string, { services }: Stack): void {
  const each = PROCESSES.map((name) => {
    const [, kib = ''] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${services[name].pid}/status`, 'utf8')) ?? [];
    return `${name} ${Math.round((Number(kib) * KIB) / MIB)} MiB`;
  });
  console.log(`  memory ${when}: ${each.join(', ')}`);
}

/**
 * The storage that a call uses: KiB in tables and indexes of the database. It also prints the bytes in the write-ahead
 * log, the memory of each process before and after, and the processor time of each. Own stack.
 */
export async function footprint(tool: 'fs.write' | 'shell.run', load: Load): Promise<Measured> {
  const env = {
    executor: { WRIT_POOL_SIZE: '8' },
    orchestrator: { WRIT_RATE_PER_SECOND: '100000', WRIT_RATE_BURST: '100000' },
  };
  const stack = await startStack({ env });
  try {
    await sleep(SETTLE_MS);
    printMemory('at rest', stack);
    const worlds = await makeWorlds(stack, load.clients);
    const calls = tool === 'fs.write' ? inlineCalls : sandboxedCalls;
    await calls(worlds, { ...load, samples: load.warmUp, warmUp: 0 });
    await sleep(SETTLE_MS);
    const [before, spent] = [await stored(stack), await processorTime(stack, PROCESSES)];
    const { n, rate } = await calls(worlds, { ...load, warmUp: 0 });
    printEach('of one', spent, await processorTime(stack, PROCESSES), n);
    printMemory(`after ${String(Math.round(rate ?? 0))} calls a second`, stack);
    await sleep(SETTLE_MS);
    const after = await stored(stack);
    const grown = [...after.tables].map(
      ([name, bytes]) => [name, (bytes - (before.tables.get(name) ?? 0)) / n] as const,
    );
    const largest = grown.toSorted((a, b) => b[1] - a[1]).slice(0, TABLES_SHOWN);
    console.log(`  bytes of one: ${largest.map(([name, bytes]) => `${name} ${String(Math.round(bytes))}`).join(', ')}`);
    console.log(`  write-ahead log of one: ${String(Math.round((after.log - before.log) / n))} bytes`);
    const kib = Math.round((grown.reduce((sum, [, bytes]) => sum + bytes, 0) / KIB) * 100) / 100;
    return { n, p50: kib, p95: kib, p99: kib, rate, unit: 'KiB' };
  } finally {
    await stack.stop();
  }
}
