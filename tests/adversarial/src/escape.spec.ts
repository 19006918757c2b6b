// SPDX-License-Identifier: Apache-2.0
// Known ways out of a container, tried from a real command's container by `attacks/escape.py`. Nothing connects
// anywhere: the kernel's tables show whether there is a route.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { repositoryRoot } from '@writ/testing';
import { HostileWorld } from './hostile-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let hostile: HostileWorld;
beforeAll(async () => {
  hostile = await HostileWorld.open();
});
afterAll(() => hostile?.close());
afterEach(() => hostile.expectUnharmed());

/** Attempts of the program. A name that is only here, or only in the program, fails the test. */
const ATTEMPTS: Readonly<Record<string, readonly string[]>> = {
  'mounts and roots': [
    'mount a tmpfs',
    'mount proc anew',
    'mount cgroups anew',
    'bind the root elsewhere',
    'remount the root for writing',
    'remount /proc/sys for writing',
    'unmount what masks /proc/kcore',
    'mount by the newer calls',
    'copy a tree of mounts',
    'change what a mount allows',
    'pivot the root',
    'chroot',
    'another root by process 1',
    'files of the host',
    'the names that the engine gives',
  ],
  namespaces: [
    'a user namespace',
    'a mount namespace',
    'a network namespace',
    'a process namespace',
    'namespaces of names and messages',
    'a namespace by clone3',
    'the namespaces of process 1',
  ],
  '/proc and /sys': [
    'write the core pattern',
    'write the path of modprobe',
    'trigger a key of the system',
    'write a uevent helper',
    'write a power state',
    'write its own control groups',
    'read the memory of the kernel',
    'read keys of the kernel',
    'read timers of the kernel',
    'read the firmware',
    'read the log of the kernel',
  ],
  devices: [
    'a block device',
    'a character device',
    'a block device in the workspace',
    'block devices that are there',
    'memory as a device',
    'log as a device',
    'virtual machines as a device',
    'file systems of users as a device',
    'tunnels as a device',
  ],
  'sockets and networks': [
    'a raw socket',
    'a raw socket of IPv6',
    'a packet socket',
    'a socket to the host of the machine',
    'the same under another number',
    'a socket to the ciphers of the kernel',
    'other families of sockets',
    'interfaces beside loopback',
    'routes',
    'servers of names',
    'sockets of the engine and of others',
  ],
  'the kernel': [
    'a key in a ring',
    'a ring of keys',
    'a key on request',
    'a program in the kernel',
    'events of the processor',
    'a module',
    'a module of a file',
    'another kernel',
    'files by handle',
    'faults of pages',
    'a queue into the kernel',
    'calls of 32 bits',
    'calls without a filter',
    'swap',
    'accounting',
    'a restart',
    'the clock',
    'the name of the host',
  ],
  privilege: [
    'be root',
    'be a group of root',
    'have a group of root',
    'all capabilities',
    'capabilities of a file',
    'a program with the bit of its owner',
    'programs of root',
    'a file of root',
    'a limit of its own',
  ],
};
/** What the kernel answers for what is forbidden, missing, or masked. */
const REFUSALS = /^(EPERM|EACCES|EROFS|ENOENT|ENOSYS|ENODATA|unresolved|refused: .+)$/;

describe("a command can't leave its container by", () => {
  let ends: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const body = await hostile.program(
      readFileSync(join(repositoryRoot(), 'tests/adversarial/attacks/escape.py'), 'utf8'),
      {},
      'python3',
    );
    expect(body).toMatchObject({ status: 'ok', tx_outcome: 'no_op' });
    ends = JSON.parse(body.result.output as string) as Record<string, string>;
  });

  it.each(Object.entries(ATTEMPTS))('%s', (_, attempts) => {
    const got = attempts
      .filter((attempt) => !REFUSALS.test(ends[attempt] ?? 'not tried'))
      .map((attempt) => `${attempt}: ${ends[attempt] ?? 'not tried'}`);
    expect(got).toEqual([]);
  });

  it('any attempt of the program', () => {
    expect(Object.keys(ends).toSorted()).toEqual(Object.values(ATTEMPTS).flat().toSorted());
  });
});
