// SPDX-License-Identifier: Apache-2.0
import { containerOptions } from './container-options.ts';
import { SYSTEM_CALLS } from './system-calls.ts';

test('the isolation options of a container are exactly these', () => {
  const options = containerOptions({
    image: 'sha256:x',
    size: { memoryBytes: 1024, cpus: 1.5, pids: 7, tmpfsBytes: 512 },
    labels: { writ: 'w' },
  });
  const tmpfs = 'rw,exec,nosuid,nodev,size=512,nr_inodes=250000,uid=10001,gid=10001';
  expect(options).toEqual({
    Image: 'sha256:x',
    Labels: { writ: 'w' },
    User: '10001:10001',
    WorkingDir: '/workspace',
    Env: ['BUN_JSC_useConcurrentJIT=0', 'BUN_JSC_useConcurrentGC=0', 'BUN_JSC_numberOfGCMarkers=1'],
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    NetworkDisabled: true,
    HostConfig: {
      AutoRemove: true,
      Init: true,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      Privileged: false,
      SecurityOpt: ['no-new-privileges:true', `seccomp=${JSON.stringify(SYSTEM_CALLS)}`],
      IpcMode: 'private',
      CgroupnsMode: 'private',
      Memory: 1024,
      MemorySwap: 1024,
      NanoCpus: 1_500_000_000,
      PidsLimit: 7,
      Tmpfs: { '/workspace': `${tmpfs},mode=0700`, '/tmp': `${tmpfs},mode=1777` },
      Ulimits: [
        { Name: 'nofile', Soft: 4096, Hard: 4096 },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      LogConfig: { Type: 'none', Config: {} },
    },
  });
});

test('another runtime is selected by name only', () => {
  const size = { memoryBytes: 1, cpus: 1, pids: 1, tmpfsBytes: 1 };
  expect(containerOptions({ image: 'x', size, labels: {}, runtime: 'runsc' }).HostConfig?.Runtime).toBe('runsc');
  expect(containerOptions({ image: 'x', size, labels: {} }).HostConfig).not.toHaveProperty('Runtime');
});

test('the allowed system calls are listed, and these are not among them', () => {
  const named = SYSTEM_CALLS.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);
  expect([
    SYSTEM_CALLS.defaultAction,
    SYSTEM_CALLS.archMap.every(({ subArchitectures }) => subArchitectures.length === 0),
  ]).toEqual(['SCMP_ACT_ERRNO', true]);
  for (const call of [
    'mount',
    'umount2',
    'fsopen',
    'open_tree',
    'move_mount',
    'mount_setattr',
    'pivot_root',
    'chroot',
    'unshare',
    'setns',
    'clone3',
    'open_by_handle_at',
    'keyctl',
    'add_key',
    'request_key',
    'bpf',
    'perf_event_open',
    'userfaultfd',
    'io_uring_setup',
    'io_uring_enter',
    'io_uring_register',
    'init_module',
    'finit_module',
    'delete_module',
    'kexec_load',
    'kexec_file_load',
    'reboot',
    'swapon',
    'acct',
    'quotactl',
    'syslog',
    'settimeofday',
    'clock_settime',
    'sethostname',
    'iopl',
    'ioperm',
    'modify_ldt',
    'socketcall',
    'ipc',
    'fanotify_init',
    'pidfd_getfd',
    'kcmp',
  ])
    expect({ call, isNamed: named.includes(call) }).toEqual({ call, isNamed: false });
  // Three address families completely, and one protocol of a fourth.
  const sockets = SYSTEM_CALLS.syscalls
    .filter(({ names }) => (names as readonly string[]).includes('socket'))
    .map(({ args }) => args.map(({ index, value, op }) => `${index} ${op} ${value}`));
  expect(sockets).toEqual([
    ['0 SCMP_CMP_EQ 1'],
    ['0 SCMP_CMP_EQ 2'],
    ['0 SCMP_CMP_EQ 10'],
    ['0 SCMP_CMP_EQ 16', '2 SCMP_CMP_EQ 0'],
  ]);
});
