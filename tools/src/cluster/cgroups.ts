// SPDX-License-Identifier: Apache-2.0
//
// All pods of a node run below one control group. It finds their processes when nothing else does, and nobody else's.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, type Identity } from '../process/identity.ts';

const ROOT = '/sys/fs/cgroup';

/** In version 2 a group has only the controllers that its parent hands on. */
const CONTROLLERS = ['cpuset', 'cpu', 'io', 'memory', 'pids', 'hugetlb'] as const;

/**
 * A group of version 1's cpuset has no processors and no memory nodes until it is given some, and takes no process
 * before.
 */
const CPUSET = ['cpuset.cpus', 'cpuset.mems'] as const;

/**
 * A group has by itself the processor time of one busy program, and all pods of the node would share it: beside other
 * work they starve, and their probes fail. This is that of sixteen.
 */
const WEIGHTS = { 'cpu.shares': '16384', 'cpu.weight': '1600' } as const;

const isUnified = (root: string): boolean => existsSync(join(root, 'cgroup.controllers'));

/**
 * The roots of the hierarchies: one in version 2, one per controller in version 1. Version 2 beside version 1 has no
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

/** The directories of a group and of all groups below it, the deepest first. */
export const groupDirectories = (name: string, root = ROOT): string[] =>
  hierarchies(root).flatMap((hierarchy) => groupsBelow(join(hierarchy, name)));

/** Makes the group that pods run below, in every hierarchy. */
export const makeGroup = (name: string, root = ROOT): void => {
  if (isUnified(root)) {
    for (const controller of CONTROLLERS) {
      // A kernel that lacks one has nothing to limit with it.
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
    // The kernel makes the file of its version with the group.
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

/** Removes the group and those below it. What the kernel is still emptying stays, for another try. */
export const removeGroup = (name: string, root = ROOT): void => {
  for (const dir of groupDirectories(name, root)) {
    try {
      rmdirSync(dir);
    } catch {
      continue;
    }
  }
};
