// SPDX-License-Identifier: Apache-2.0
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findContained, findMarked } from '../process/marked.ts';
import { unmountBelow } from '../process/mounts.ts';
import { signal } from '../process/identity.ts';
import { stopProcess, waitUntilGone } from '../process/stop.ts';
import { writeStarted, type Entry, type Kind, type Started } from '../process/table.ts';
import { removeContainers } from './containers.ts';

/** How long each stage may take before the processes that are left of it are killed. */
export interface StopTimeouts {
  readonly servicesMs: number;
  readonly containersMs: number;
  readonly partsMs: number;
}

/** A person waits, and a service may be in the middle of a call. */
export const ORDERLY: StopTimeouts = { servicesMs: 10_000, containersMs: 5_000, partsMs: 6_000 };

/** Nobody supervises any more: together below the ten seconds that the watchdog promises. */
export const PROMPT: StopTimeouts = { servicesMs: 2_000, containersMs: 2_500, partsMs: 3_500 };

/** The second Ctrl-C. Postgres recovers from its log at the next start. */
export const AT_ONCE: StopTimeouts = { servicesMs: 0, containersMs: 1_500, partsMs: 0 };

const KILL_MS = 500;

/** The file with the addresses of running parts. It exists only while they run. */
export const addressesFile = (stateDir: string): string => join(stateDir, 'env.json');

/** A state directory and its name outside of it. */
export interface StateDir {
  readonly stateDir: string;
  readonly stateId: string;
}

const stopKinds = async (entries: readonly Entry[], kinds: readonly Kind[], limitMs: number): Promise<void> => {
  const chosen = entries.filter(({ kind }) => kinds.includes(kind));
  await Promise.all(chosen.map(({ who, signal: ask, graceMs }) => stopProcess(who, ask, Math.min(graceMs, limitMs))));
};

/** Kills processes that no list names: children of children, and what was started while the list was being written. */
const killStrays = async (stateId: string, execRoot: string | null): Promise<void> => {
  const strays = [...findMarked(stateId), ...(execRoot === null ? [] : findContained(execRoot))];
  for (const who of strays) signal(who, 'SIGKILL');
  await Promise.all(strays.map((who) => waitUntilGone(who, KILL_MS)));
};

/**
 * Ends everything that was started for a state directory: services, then their containers, then the parts below them.
 * Used by the supervisor at its end, by the watchdog when the supervisor was killed, and at the next start when both
 * were.
 *
 * @param started what the caller knows to have been started
 * @returns how many listed processes there were to end
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
