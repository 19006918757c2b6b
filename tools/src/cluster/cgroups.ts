// SPDX-License-Identifier: Apache-2.0
//
// All pods of a node run below one control group. It finds exactly their processes, even when nothing else does.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, type Identity } from '../process/identity.ts';

const ROOT = '/sys/fs/cgroup';

/** In version 2 a group has only the controllers that its parent enables. */
const CONTROLLERS = ['cpuset', 'cpu', 'io', 'memory', 'pids', 'hugetlb'] as const;

/**
 * A cpuset group in version 1 starts without processors and memory nodes, and accepts no process until they are set.
 */
const CPUSET = ['cpuset.cpus', 'cpuset.mems'] as const;

/**
 * By default a group has the share of one busy program, which all pods of the node would divide. Beside other work they
 * would starve, and their probes fail. This is the share of sixteen programs.
 */
const WEIGHTS = { 'cpu.shares': '16384', 'cpu.weight': '1600' } as const;

const isUnified = (root: string): boolean => existsSync(join(root, 'cgroup.controllers'));

/**
 * The roots of the hierarchies: one in version 2, one per controller in version 1. A version 2 beside version 1 has no
 * controllers.
 */
const hierarchies = (root: string): string[] =>
  isUnified(root)
    ? [root]
    : readdirSync(root)
        .filter((name) => name !== 'unified')
        .map((name) => join(root, name))
        .filter((path) => statSync(path).isDirectory());

const groupsBelow = (dir: string): string[] => {
  if (!existsSync(dir)) return [];
  const inner = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...inner.flatMap(({ name }) => groupsBelow(join(dir, name))), dir];
};

/** The directories of a group and of all groups below it, deepest first. */
export const groupDirectories = (name: string, root = ROOT): string[] =>
  hierarchies(root).flatMap((hierarchy) => groupsBelow(join(hierarchy, name)));

/** Creates the parent group of pods, in every hierarchy. */
export const makeGroup = (name: string, root = ROOT): void => {
  if (isUnified(root)) {
    for (const controller of CONTROLLERS) {
      // A kernel without the controller can't limit by it.
      try {
        writeFileSync(join(root, 'cgroup.subtree_control'), `+${controller}`);
      } catch {
        continue;
      }
    }
  }
  for (const hierarchy of hierarchies(root)) {
    mkdirSync(join(hierarchy, name), { recursive: true });
    for (const file of CPUSET)
      if (!isUnified(root) && existsSync(join(hierarchy, file)))
        writeFileSync(join(hierarchy, name, file), readFileSync(join(hierarchy, file)));
    // The kernel creates the file of its version with the group.
    for (const [file, weight] of Object.entries(WEIGHTS)) {
      const path = join(hierarchy, name, file);
      if (existsSync(path)) writeFileSync(path, weight);
    }
  }
};

/** Every process in the group or below it. */
export const processesOfGroup = (name: string, root = ROOT): Identity[] => {
  const pids = new Set(
    groupDirectories(name, root).flatMap((dir) => {
      try {
        return readFileSync(join(dir, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
      } catch {
        return [];
      }
    }),
  );
  return [...pids].map(identify).filter((who) => who !== undefined);
};

/** Removes the group and those below it. Groups that the kernel still empties stay for another try. */
export const removeGroup = (name: string, root = ROOT): void => {
  for (const dir of groupDirectories(name, root)) {
    try {
      rmdirSync(dir);
    } catch {
      continue;
    }
  }
};
