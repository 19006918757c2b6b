// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, signal, type Identity } from '../process/identity.ts';
import { findMarked } from '../process/marked.ts';
import { mountsBelow } from '../process/mounts.ts';
import { stopProcess, waitUntilEnded } from '../process/stop.ts';
import { writeStarted, type Kind, type Started } from '../process/table.ts';
import { SetupError } from '../setup-error.ts';
import type { StateDir } from '../supervisor/clean-up.ts';
import { groupDirectories, processesOfGroup, removeGroup } from './cgroups.ts';
import { removeContainers } from './containerd.ts';
import { NODE_ENVIRONMENT } from './namespaces.ts';
import { cgroupName, clusterPaths, linkName } from './paths.ts';

/** Time for the kernel to empty namespaces and control groups after their processes died. */
const GONE_MS = 10_000;
const POLL_MS = 50;

const HOLDER = 'namespaces';
const CONTAINERD = 'containerd';

const linkFile = (state: StateDir): string => `/sys/class/net/${linkName(state)}`;

const kill = async (processes: readonly Identity[]): Promise<void> => {
  for (const who of processes) signal(who, 'SIGKILL');
  await Promise.all(processes.map((who) => waitUntilEnded(who, GONE_MS)));
};

const entriesOf = ({ entries }: Started, kinds: readonly Kind[]) =>
  entries.filter(({ kind, name }) => kinds.includes(kind) && name !== HOLDER);
const find = ({ entries }: Started, name: string): Identity | undefined =>
  entries.find((entry) => entry.name === name && isAlive(entry.who))?.who;

/**
 * Ends pods, once the kubelet that would restart them is gone. After a crash, images are kept only where containerd
 * could delete all containers.
 */
const endPods = async (state: StateDir, started: Started): Promise<void> => {
  await kill(processesOfGroup(cgroupName(state)));
  const holder = find(started, HOLDER);
  const forgotten =
    holder !== undefined &&
    find(started, CONTAINERD) !== undefined &&
    (await removeContainers({ holderPid: holder.pid, ctr: 'ctr' }));
  if (started.entries.length > 0 && !forgotten)
    rmSync(clusterPaths(state.stateDir).images, { recursive: true, force: true });
};

const endProcesses = async (state: StateDir, started: Started): Promise<void> => {
  const stop = (kinds: readonly Kind[]): Promise<unknown> =>
    Promise.all(entriesOf(started, kinds).map(({ who, signal: ask, graceMs }) => stopProcess(who, ask, graceMs)));
  await stop(['service', 'part']);
  await endPods(state, started);
  await stop(['engine']);
  await kill(
    started.entries
      .filter(({ name }) => name === HOLDER)
      .map(({ who }) => who)
      .filter(isAlive),
  );
  // Shims, and processes that were started while the list was written.
  await kill([...findMarked(state.stateId), ...processesOfGroup(cgroupName(state))]);
};

const removeNetwork = (state: StateDir): void => {
  // The kernel removes it with the node's namespace, but later.
  if (existsSync(linkFile(state))) spawnSync('ip', ['link', 'delete', linkName(state)], { env: NODE_ENVIRONMENT });
};

const removeFiles = ({ stateDir }: StateDir): void => {
  const { data, pki, etc, kubeconfig, facts } = clusterPaths(stateDir);
  for (const path of [facts, kubeconfig, data, pki, etc]) rmSync(path, { recursive: true, force: true });
};

/** The remains of a node on the machine, in words; empty where there are none. */
export const leftovers = (state: StateDir): string[] => [
  ...[...findMarked(state.stateId), ...processesOfGroup(cgroupName(state))].map(({ pid }) => `process ${pid}`),
  ...groupDirectories(cgroupName(state)).map((dir) => `control group ${dir}`),
  ...(existsSync(linkFile(state)) ? [`network link ${linkName(state)}`] : []),
  ...mountsBelow(state.stateDir, readFileSync('/proc/self/mountinfo', 'utf8')).map((path) => `mount ${path}`),
];

/**
 * Ends a node in any state: its processes, its pods, its namespaces, its link and its control groups. The images of
 * containerd stay for the next start. The supervisor uses it at its end, and any process that finds a node without
 * supervisor.
 *
 * @param started the processes that the caller has started
 * @throws SetupError where something remains
 */
export const cleanNode = async (state: StateDir, started: Started): Promise<void> => {
  await endProcesses(state, started);
  removeNetwork(state);
  const until = performance.now() + GONE_MS;
  for (
    removeGroup(cgroupName(state));
    leftovers(state).length > 0 && performance.now() < until;
    removeGroup(cgroupName(state))
  )
    await delay(POLL_MS);
  removeFiles(state);
  writeStarted(state.stateDir, { engine: null, entries: [] });
  const left = leftovers(state);
  if (left.length > 0) throw new SetupError(`the cluster in ${state.stateDir} is ended, and this is left of it:`, left);
};
