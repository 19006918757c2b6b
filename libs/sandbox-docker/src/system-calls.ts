// SPDX-License-Identifier: Apache-2.0
import { ATTRIBUTES, FILES } from './file-system-calls.ts';

/**
 * The system calls that a job may make. They are listed here rather than left to the engine, whose own list changes
 * with its version and allows sockets that no network namespace contains.
 *
 * INVARIANT (named or refused): a system call that isn't listed is refused, including those of future kernels.
 * INVARIANT (one way in): no 32-bit calls. One of them (`socketcall`) passes its operation behind a pointer, which no
 * filter can follow.
 */
const WAITING = [
  'poll',
  'ppoll',
  'select',
  'pselect6',
  'epoll_create',
  'epoll_create1',
  'epoll_ctl',
  'epoll_wait',
  'epoll_pwait',
  'epoll_pwait2',
  'eventfd',
  'eventfd2',
  'signalfd',
  'signalfd4',
  'timerfd_create',
  'timerfd_settime',
  'timerfd_gettime',
  'pipe',
  'pipe2',
  'pause',
  'nanosleep',
  'clock_nanosleep',
  'futex',
  'futex_waitv',
  'futex_wait',
  'futex_wake',
  'futex_requeue',
] as const;

const MEMORY = [
  'brk',
  'mmap',
  'munmap',
  'mremap',
  'mprotect',
  'madvise',
  'mincore',
  'msync',
  'mlock',
  'mlock2',
  'munlock',
  'mlockall',
  'munlockall',
  'membarrier',
  'memfd_create',
  'mseal',
  'pkey_alloc',
  'pkey_free',
  'pkey_mprotect',
  'remap_file_pages',
  'map_shadow_stack',
] as const;

/**
 * `ptrace` and similar calls reach processes of the same container and user, and debuggers need them. A job that
 * manipulates its agent only falsifies its own report.
 */
const PROCESSES = [
  'fork',
  'vfork',
  'execve',
  'execveat',
  'exit',
  'exit_group',
  'wait4',
  'waitid',
  'kill',
  'tkill',
  'tgkill',
  'pidfd_open',
  'pidfd_send_signal',
  'getpid',
  'getppid',
  'gettid',
  'getpgid',
  'getpgrp',
  'setpgid',
  'getsid',
  'setsid',
  'getpriority',
  'setpriority',
  'sched_yield',
  'sched_getaffinity',
  'sched_setaffinity',
  'sched_getparam',
  'sched_setparam',
  'sched_getscheduler',
  'sched_setscheduler',
  'sched_getattr',
  'sched_setattr',
  'sched_get_priority_max',
  'sched_get_priority_min',
  'sched_rr_get_interval',
  'rseq',
  'set_robust_list',
  'get_robust_list',
  'set_tid_address',
  'prctl',
  'arch_prctl',
  'getrlimit',
  'setrlimit',
  'prlimit64',
  'getrusage',
  'times',
  'getcpu',
  'ioprio_get',
  'ioprio_set',
  'capget',
  'capset',
  'seccomp',
  'landlock_create_ruleset',
  'landlock_add_rule',
  'landlock_restrict_self',
  'restart_syscall',
  'ptrace',
  'process_vm_readv',
  'process_vm_writev',
] as const;

const USERS = [
  'getuid',
  'geteuid',
  'getgid',
  'getegid',
  'getresuid',
  'getresgid',
  'getgroups',
  'setuid',
  'setgid',
  'setreuid',
  'setregid',
  'setresuid',
  'setresgid',
  'setgroups',
  'setfsuid',
  'setfsgid',
] as const;

const SIGNALS_AND_TIME = [
  'rt_sigaction',
  'rt_sigprocmask',
  'rt_sigpending',
  'rt_sigqueueinfo',
  'rt_tgsigqueueinfo',
  'rt_sigreturn',
  'rt_sigsuspend',
  'rt_sigtimedwait',
  'sigaltstack',
  'alarm',
  'getitimer',
  'setitimer',
  'timer_create',
  'timer_settime',
  'timer_gettime',
  'timer_getoverrun',
  'timer_delete',
  'clock_gettime',
  'clock_getres',
  'gettimeofday',
  'time',
  'uname',
  'sysinfo',
  'getrandom',
] as const;

const MESSAGES = [
  'bind',
  'connect',
  'listen',
  'accept',
  'accept4',
  'getsockname',
  'getpeername',
  'getsockopt',
  'setsockopt',
  'sendto',
  'recvfrom',
  'sendmsg',
  'recvmsg',
  'sendmmsg',
  'recvmmsg',
  'shutdown',
  'shmget',
  'shmat',
  'shmctl',
  'shmdt',
  'semget',
  'semop',
  'semtimedop',
  'semctl',
  'msgget',
  'msgsnd',
  'msgrcv',
  'msgctl',
  'mq_open',
  'mq_unlink',
  'mq_timedsend',
  'mq_timedreceive',
  'mq_notify',
  'mq_getsetattr',
] as const;

/** Flags of `clone` that make a namespace. */
const NAMESPACES = 0x7e02_0000;
const ENOSYS = 38;
/** The address families that a network namespace contains, and no other: AF_UNIX, AF_INET, AF_INET6. */
const FAMILIES = [1, 2, 10] as const;
/** Queries the interfaces of the namespace, as every resolver does: AF_NETLINK with NETLINK_ROUTE. */
const ROUTES = { family: 16, protocol: 0 } as const;
/** The ordinary Linux personality, and the query for the current one. */
const PERSONALITIES = [0, 0xffff_ffff] as const;

type Argument = {
  readonly index: number;
  readonly value: number;
  readonly valueTwo?: number;
  readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
};
const equals = (index: number, value: number): Argument => ({ index, value, op: 'SCMP_CMP_EQ' });
const allow = (names: readonly string[], ...args: readonly Argument[]) => ({ names, action: 'SCMP_ACT_ALLOW', args });

/**
 * The profile in the engine's format. Seccomp compares arguments as they are passed, 64 bits wide, where the kernel
 * uses 32. So the profile lists allowed values, and never forbidden ones.
 */
export const SYSTEM_CALLS = {
  defaultAction: 'SCMP_ACT_ERRNO',
  archMap: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'].map((architecture) => ({ architecture, subArchitectures: [] })),
  syscalls: [
    allow([...FILES, ...ATTRIBUTES, ...WAITING, ...MEMORY, ...PROCESSES, ...USERS, ...SIGNALS_AND_TIME, ...MESSAGES]),
    ...FAMILIES.map((family) => allow(['socket'], equals(0, family))),
    allow(['socket'], equals(0, ROUTES.family), equals(2, ROUTES.protocol)),
    allow(['socketpair'], equals(0, 1)),
    ...PERSONALITIES.map((personality) => allow(['personality'], equals(0, personality))),
    allow(['clone'], { index: 0, value: NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }),
    // Its flags are behind a pointer. A caller that gets ENOSYS falls back to `clone`.
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS, args: [] },
  ],
} as const;
