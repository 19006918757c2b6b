// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupDirectories, makeGroup, processesOfGroup, removeGroup } from './cgroups.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-cgroup-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const write = (path: string, text: string): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** Version 1 with version 2 in parallel. */
const makeHybrid = (): void => {
  write('memory/cgroup.procs', '1\n');
  write('cpuset/cgroup.procs', '1\n');
  write('cpuset/cpuset.cpus', '0-1\n');
  write('cpuset/cpuset.mems', '0\n');
  write('unified/cgroup.controllers', '');
};

test('a group is created in each hierarchy of version 1, with its processors set', () => {
  makeHybrid();
  makeGroup('writ-x', root);
  expect(groupDirectories('writ-x', root).toSorted()).toEqual([
    join(root, 'cpuset/writ-x'),
    join(root, 'memory/writ-x'),
  ]);
  expect(readFileSync(join(root, 'cpuset/writ-x/cpuset.cpus'), 'utf8')).toBe('0-1\n');
  expect(existsSync(join(root, 'unified/writ-x'))).toBe(false);
});

test('a group is created once in version 2, with its controllers enabled', () => {
  write('cgroup.controllers', 'cpu memory');
  write('cgroup.subtree_control', '');
  makeGroup('writ-x', root);
  expect(groupDirectories('writ-x', root)).toEqual([join(root, 'writ-x')]);
  expect(readFileSync(join(root, 'cgroup.subtree_control'), 'utf8')).toMatch(/^\+\w+$/);
});

test.each([
  ['cpu/writ-x/cpu.shares', '16384'],
  ['cpu/writ-x/cpu.weight', '1600'],
])('the group has a larger processor share than one program: %s', (file, weight) => {
  makeHybrid();
  write(file, '1');
  makeGroup('writ-x', root);
  expect(readFileSync(join(root, file), 'utf8')).toBe(weight);
});

test("the group's processes are found at any depth and in any hierarchy, each once", () => {
  makeHybrid();
  write('memory/writ-x/kubepods/pod1/cgroup.procs', `${process.pid}\n`);
  write('cpuset/writ-x/cgroup.procs', `${process.pid}\n${process.ppid}\n`);
  write('memory/writ-y/cgroup.procs', '1\n');
  expect(
    processesOfGroup('writ-x', root)
      .map(({ pid }) => pid)
      .toSorted(),
  ).toEqual([process.pid, process.ppid].toSorted());
});

test('nested groups are removed first', () => {
  makeHybrid();
  for (const path of ['memory/writ-x/kubepods/pod1', 'cpuset/writ-x', 'memory/writ-y'])
    mkdirSync(join(root, path), { recursive: true });
  removeGroup('writ-x', root);
  expect(groupDirectories('writ-x', root)).toEqual([]);
  expect(existsSync(join(root, 'memory/writ-y'))).toBe(true);
});
