// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { connect } from '@writ/database';
import type { Stack } from '@writ/stack';

type Process = keyof Stack['services'];

/** Milliseconds of processor time so far, by process. */
export type Spent = ReadonlyMap<string, number>;

/**
 * Processor time, which a busy machine changes less than a rate. It covers the named processes, their Postgres backends
 * (all together, with every backend of the server that has ended), and this process, the client.
 */
export async function processorTime({ services, database }: Stack, processes: readonly Process[]): Promise<Spent> {
  const owner = await connect(database.ownerUrl, 'bench');
  try {
    const { rows } = await owner.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE application_name = ANY ($1) AND datname = current_database()',
      [processes.map((name) => `writ-${name}`)],
    );
    const { user, system } = process.cpuUsage();
    return new Map([
      ...processes.map((name) => [name, millisecondsOf(services[name].pid)] as const),
      ['Postgres', rows.reduce((sum, { pid }) => sum + millisecondsOf(pid), endedMillisecondsOf(rows[0]?.pid))],
      ['asker', (user + system) / 1_000],
    ]);
  } finally {
    await owner.end();
  }
}

/** Prints what one sample cost each of them, in microseconds. */
export function printEach(what: string, before: Spent, after: Spent, samples: number): void {
  const each = [...after].map(
    ([name, ms]) => `${name} ${Math.round(((ms - (before.get(name) ?? 0)) * 1_000) / samples)} µs`,
  );
  console.log(`  processor time ${what}: ${each.join(', ')}`);
}

/**
 * User and system time of a process with all its threads (proc(5), fields 14 and 15 of stat, in hundredths of a
 * second).
 */
function millisecondsOf(pid: number): number {
  return (statOf(pid, 14) + statOf(pid, 15)) * 10;
}

/**
 * The same for all backends that the server has seen end: the parent of the given one. (proc(5): field 4 is the parent,
 * 16 and 17 are the times of children that were waited for.)
 */
function endedMillisecondsOf(backend: number | undefined): number {
  if (backend === undefined) return 0;
  const server = statOf(backend, 4);
  return (statOf(server, 16) + statOf(server, 17)) * 10;
}

/**
 * A field of proc(5)'s stat, counted from 1 as there. The second is the name of the program, which may contain any
 * character.
 */
function statOf(pid: number, field: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[field - 3] ?? 0);
}
