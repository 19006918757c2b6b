// SPDX-License-Identifier: Apache-2.0
import { containerOptions } from './container-options.ts';

test('the walls of a container are exactly these', () => {
  const options = containerOptions({ image: 'sha256:x', size: { memoryBytes: 1024, cpus: 1.5, pids: 7, tmpfsBytes: 512 }, labels: { writ: 'w' } });
  const tmpfs = 'rw,exec,nosuid,nodev,size=512,nr_inodes=250000,uid=10001,gid=10001';
  expect(options).toEqual({
    Image: 'sha256:x', Labels: { writ: 'w' }, User: '10001:10001', WorkingDir: '/workspace',
    OpenStdin: true, StdinOnce: true, Tty: false, AttachStdin: true, AttachStdout: true, AttachStderr: true, NetworkDisabled: true,
    HostConfig: {
      AutoRemove: true, Init: true, NetworkMode: 'none', ReadonlyRootfs: true, CapDrop: ['ALL'], Privileged: false,
      SecurityOpt: ['no-new-privileges:true'], IpcMode: 'private', CgroupnsMode: 'private',
      Memory: 1024, MemorySwap: 1024, NanoCpus: 1_500_000_000, PidsLimit: 7,
      Tmpfs: { '/workspace': `${tmpfs},mode=0700`, '/tmp': `${tmpfs},mode=1777` },
      Ulimits: [{ Name: 'nofile', Soft: 4096, Hard: 4096 }, { Name: 'core', Soft: 0, Hard: 0 }],
      LogConfig: { Type: 'none', Config: {} },
    },
  });
});

test('another runtime is asked for by name only', () => {
  const size = { memoryBytes: 1, cpus: 1, pids: 1, tmpfsBytes: 1 };
  expect(containerOptions({ image: 'x', size, labels: {}, runtime: 'runsc' }).HostConfig?.Runtime).toBe('runsc');
  expect(containerOptions({ image: 'x', size, labels: {} }).HostConfig).not.toHaveProperty('Runtime');
});
