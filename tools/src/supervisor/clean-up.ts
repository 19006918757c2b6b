// SPDX-License-Identifier: Apache-2.0
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findContained, findMarked } from '../process/marked.ts';
import { unmountBelow } from '../process/mounts.ts';
import { signal } from '../process/identity.ts';
import { stopProcess, waitUntilEnded } from '../process/stop.ts';
import { writeStarted, type Entry, type Kind, type Started } from '../process/table.ts';
import { removeContainers } from './containers.ts';

/** The time limit of each stage, after which its processes are killed. */
export interface StopTimeouts {
  readonly servicesMs: number;
  readonly containersMs: number;
  readonly partsMs: number;
}

/** A person waits, and a service may be running a call. */
export const ORDERLY: StopTimeouts = { servicesMs: 10_000, containersMs: 5_000, partsMs: 6_000 };

/** Without a supervisor: together below the watchdog's ten seconds. */
export const PROMPT: StopTimeouts = { servicesMs: 2_000, containersMs: 2_500, partsMs: 3_500 };

/** After the second Ctrl-C. Postgres recovers from its log at the next start. */
export const AT_ONCE: StopTimeouts = { servicesMs: 0, containersMs: 1_500, partsMs: 0 };

const KILL_MS = 500;

/** The file with the addresses of running infrastructure. It exists only while that runs. */
export const addressesFile = (stateDir: string): string => join(stateDir, 'env.json');

/** A state directory and its id. */
export interface StateDir {
  readonly stateDir: string;
  readonly stateId: string;
}

const stopKinds = async (entries: readonly Entry[], kinds: readonly Kind[], limitMs: number): Promise<void> => {
  const chosen = entries.filter(({ kind }) => kinds.includes(kind));
  await Promise.all(chosen.map(({ who, signal: ask, graceMs }) => stopProcess(who, ask, Math.min(graceMs, limitMs))));
};

/** Kills processes without an entry: grandchildren, and those that were started while the table was written. */
const killStrays = async (stateId: string, execRoot: string | null): Promise<void> => {
  const strays = [...findMarked(stateId), ...(execRoot === null ? [] : findContained(execRoot))];
  for (const who of strays) signal(who, 'SIGKILL');
  await Promise.all(strays.map((who) => waitUntilEnded(who, KILL_MS)));
};

/**
 * Ends everything that was started for a state directory: services, then their containers, then the infrastructure. The
 * supervisor uses it at its end, the watchdog after the supervisor was killed, and the next start after both were.
 *
 * @param started the processes that the caller has started
 * @returns the number of ended processes with an entry
 */
export const cleanUp = async (
  { stateDir, stateId }: StateDir,
  { engine, entries }: Started,
  timeouts: StopTimeouts,
): Promise<number> => {
  await stopKinds(entries, ['job', 'service'], timeouts.servicesMs);
  if (engine !== null) await removeContainers(engine, timeouts.containersMs);
  await stopKinds(entries, ['part', 'engine'], timeouts.partsMs);
  await killStrays(stateId, engine?.execRoot ?? null);
  for (const dir of [stateDir, ...(engine?.execRoot ? [engine.execRoot] : [])]) unmountBelow(dir);
  rmSync(addressesFile(stateDir), { force: true });
  writeStarted(stateDir, { engine: null, entries: [] });
  return entries.length;
};
