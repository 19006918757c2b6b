# SPDX-License-Identifier: Apache-2.0
"""Tries known ways out of a container, and prints how each attempt ended: the name of an error, or `done`.

Nothing here connects to anything: whether there is a way to a network is read, not tried.
"""
import ctypes
import errno
import json
import mmap
import os
import platform
import resource
import socket
import stat
import subprocess
import tempfile

libc = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == 'aarch64'
# System calls without a libc function, by name: their numbers on x86_64 and aarch64.
CALLS = {
    'add_key': (248, 217), 'keyctl': (250, 219), 'request_key': (249, 218), 'bpf': (321, 280), 'perf_event_open': (298, 241), 'kexec_load': (246, 104),
    'init_module': (175, 105), 'finit_module': (313, 273), 'open_by_handle_at': (304, 265), 'userfaultfd': (323, 282), 'pivot_root': (155, 41),
    'fsopen': (430, 430), 'open_tree': (428, 428), 'move_mount': (429, 429), 'mount_setattr': (442, 442), 'clone3': (435, 435), 'swapon': (167, 224),
    'reboot': (169, 142), 'acct': (163, 89), 'settimeofday': (164, 170), 'sethostname': (170, 161), 'syslog': (103, 116), 'socket': (41, 198), 'io_uring_setup': (425, 425), 'capset': (126, 91),
}
VSOCK = 40
NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000


def checked(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def call(name, *args):
    padded = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    return checked(libc.syscall(ctypes.c_long(CALLS[name][ARM]), *padded))


def mount(source, target, kind, flags=0):
    checked(libc.mount(source, target, kind, ctypes.c_ulong(flags), None))


def write(path, text):
    with open(path, 'w') as file:
        file.write(text)


def content(path):
    """Reads a masked file: an empty file counts as refused."""
    with open(path, 'rb') as file:
        if file.read(64) == b'':
            raise OSError(errno.ENODATA, 'empty')


def socket_of(family, kind, protocol=0):
    socket.socket(family, kind, protocol).close()


def other_families():
    """Opens any socket that no network namespace isolates, or that shows more than this namespace's interfaces."""
    for family in [f for f in range(64) if f not in (1, 2, 10, 16)]:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
            try:
                return socket_of(family, kind)
            except OSError:
                continue
    for protocol in range(1, 32):
        try:
            return socket_of(16, socket.SOCK_RAW, protocol)
        except OSError:
            continue
    raise OSError(errno.EPERM, 'none')


def thirty_two_bits():
    """`int 0x80` calls the 64-bit kernel with its 32-bit numbers: getpid, in a child that a signal may end."""
    if ARM:
        raise OSError(errno.ENOSYS, 'none here')
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b'\xb8\x14\x00\x00\x00\xcd\x80\xc3')  # mov eax, 20; int 0x80; ret
    ask = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    child = os.fork()
    if child == 0:
        os._exit(0 if ask() > 0 else 1)
    if os.waitpid(child, 0)[1] != 0:
        raise OSError(errno.ENOSYS, 'refused')


def found(paths):
    if not paths:
        raise OSError(errno.ENOENT, 'none')


def sockets_of_others():
    own = ('/proc', '/sys', '/workspace')
    names = [os.path.join(at, name) for at, _, files in os.walk('/') if not at.startswith(own) for name in files]
    return [name for name in names if os.path.lexists(name) and stat.S_ISSOCK(os.lstat(name).st_mode)]


def block_devices():
    names = [os.path.join(at, name) for at, _, files in os.walk('/dev') for name in files]
    return [name for name in names if stat.S_ISBLK(os.lstat(name).st_mode)]


def routes():
    """Rows of the kernel's routing tables that lead anywhere but to this container."""
    with open('/proc/net/route') as file:
        v4 = file.read().splitlines()[1:]
    v6 = []
    if os.path.exists('/proc/net/ipv6_route'):
        with open('/proc/net/ipv6_route') as file:
            v6 = [line for line in file.read().splitlines() if not line.endswith(' lo')]
    return v4 + v6


def setuid_root_program():
    """A setuid copy of a shell that root owns: what the kernel makes of it."""
    folder = tempfile.mkdtemp(dir='/tmp')
    copy = os.path.join(folder, 'id')
    with open('/usr/bin/id', 'rb') as source, open(copy, 'wb') as target:
        target.write(source.read())
    os.chmod(copy, 0o6755)
    as_whom = subprocess.run([copy, '-u'], capture_output=True, text=True).stdout.strip()
    if as_whom == str(os.getuid()):
        raise OSError(errno.EPERM, 'nothing gained')


def su():
    for command in (['su', '-c', 'id -u'], ['sudo', '-n', 'id', '-u'], ['newgrp', 'root'], ['passwd', '-d', 'root'], ['mount', '/mnt']):
        try:
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=5)
        except OSError:
            continue
        if done.returncode == 0 and done.stdout.strip() in ('0', ''):
            return
    raise OSError(errno.EPERM, 'none')


def cgroup_of_own():
    for at, _, files in os.walk('/sys/fs/cgroup'):
        for name in files:
            if name in ('release_agent', 'memory.limit_in_bytes', 'memory.max', 'pids.max', 'cgroup.procs', 'notify_on_release', 'devices.allow'):
                try:
                    write(os.path.join(at, name), '1')
                    return
                except OSError:
                    continue
    raise OSError(errno.EROFS, 'none')


def namespace_of_process_1():
    """A namespace that this process is not in already."""
    for kind in ('mnt', 'net', 'pid', 'user', 'ipc', 'uts', 'cgroup'):
        with open(f'/proc/1/ns/{kind}') as file:
            try:
                checked(libc.setns(file.fileno(), 0))
            except OSError:
                continue
            return
    raise OSError(errno.EPERM, 'none')


def root_of_process_1():
    """The root directory of process 1, where it is not this process's."""
    if os.stat('/proc/1/root/').st_ino == os.stat('/').st_ino and os.stat('/proc/1/root/').st_dev == os.stat('/').st_dev:
        raise OSError(errno.EACCES, 'the same')


def mounted_from_host():
    """Mounts of host files, without those that the engine makes for every container and that are read-only."""
    engine = ('/etc/hosts', '/etc/hostname', '/etc/resolv.conf', '/sbin/docker-init', '/usr/sbin/docker-init', '/dev/init')
    with open('/proc/self/mountinfo') as file:
        rows = [line.split(' - ') for line in file.read().splitlines()]
    kinds = ('overlay', 'proc', 'sysfs', 'tmpfs', 'devpts', 'mqueue', 'cgroup', 'cgroup2')
    found([left for left, right in rows if right.split()[0] not in kinds and left.split()[4] not in engine])


def etc_of_engine():
    for path in ('/etc/hosts', '/etc/hostname', '/etc/resolv.conf', '/sbin/docker-init'):
        if os.access(path, os.W_OK):
            return
    raise OSError(errno.EACCES, 'none')


FLAG_REMOUNT, FLAG_BIND = 32, 4096
ATTEMPTS = {
    'mount a tmpfs': lambda: mount(b'x', b'/mnt', b'tmpfs'),
    'mount proc anew': lambda: mount(b'proc', b'/mnt', b'proc'),
    'mount cgroups anew': lambda: mount(b'x', b'/mnt', b'cgroup'),
    'bind the root elsewhere': lambda: mount(b'/', b'/mnt', None, FLAG_BIND),
    'remount the root for writing': lambda: mount(None, b'/', None, FLAG_REMOUNT),
    'remount /proc/sys for writing': lambda: mount(None, b'/proc/sys', None, FLAG_REMOUNT | FLAG_BIND),
    'unmount what masks /proc/kcore': lambda: checked(libc.umount2(b'/proc/kcore', 2)),
    'mount by the newer calls': lambda: call('fsopen', b'tmpfs', 0),
    'copy a tree of mounts': lambda: call('open_tree', -100, b'/', 1),
    'change what a mount allows': lambda: call('mount_setattr', -100, b'/', 0, b'\0' * 32, 32),
    'pivot the root': lambda: call('pivot_root', b'/', b'/'),
    'chroot': lambda: os.chroot('/tmp'),
    'a user namespace': lambda: checked(libc.unshare(NEWUSER)),
    'a mount namespace': lambda: checked(libc.unshare(NEWNS)),
    'a network namespace': lambda: checked(libc.unshare(NEWNET)),
    'a process namespace': lambda: checked(libc.unshare(NEWPID)),
    'namespaces of names and messages': lambda: checked(libc.unshare(NEWUTS | NEWIPC | NEWCGROUP)),
    'a namespace by clone3': lambda: call('clone3', (ctypes.c_uint64 * 11)(NEWUSER, 0, 0, 0, 17), 88),
    'the namespaces of process 1': namespace_of_process_1,
    'another root by process 1': root_of_process_1,
    'files of the host': mounted_from_host,
    'the names that the engine gives': etc_of_engine,
    'write the core pattern': lambda: write('/proc/sys/kernel/core_pattern', '|/tmp/x'),
    'write the path of modprobe': lambda: write('/proc/sys/kernel/modprobe', '/tmp/x'),
    'trigger a key of the system': lambda: write('/proc/sysrq-trigger', 'h'),
    'write a uevent helper': lambda: write('/sys/kernel/uevent_helper', '/tmp/x'),
    'write a power state': lambda: write('/sys/power/state', 'mem'),
    'write its own control groups': cgroup_of_own,
    'read the memory of the kernel': lambda: content('/proc/kcore'),
    'read keys of the kernel': lambda: content('/proc/keys'),
    'read timers of the kernel': lambda: content('/proc/timer_list'),
    'read the firmware': lambda: found(os.listdir('/sys/firmware')),
    'read the log of the kernel': lambda: call('syslog', 3, ctypes.create_string_buffer(64), 64),
    'a block device': lambda: os.mknod('/tmp/disk', stat.S_IFBLK | 0o600, os.makedev(8, 0)),
    'a character device': lambda: os.mknod('/tmp/mem', stat.S_IFCHR | 0o600, os.makedev(1, 1)),
    'a block device in the workspace': lambda: os.mknod('/workspace/disk', stat.S_IFBLK | 0o600, os.makedev(8, 0)),
    'block devices that are there': lambda: found(block_devices()),
    'memory as a device': lambda: os.open('/dev/mem', os.O_RDONLY),
    'log as a device': lambda: os.open('/dev/kmsg', os.O_WRONLY),
    'virtual machines as a device': lambda: os.open('/dev/kvm', os.O_RDWR),
    'file systems of users as a device': lambda: os.open('/dev/fuse', os.O_RDWR),
    'tunnels as a device': lambda: os.open('/dev/net/tun', os.O_RDWR),
    'a raw socket': lambda: socket_of(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    'a raw socket of IPv6': lambda: socket_of(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6),
    'a packet socket': lambda: socket_of(socket.AF_PACKET, socket.SOCK_RAW),
    'a socket to the host of the machine': lambda: socket_of(VSOCK, socket.SOCK_STREAM),
    'the same under another number': lambda: call('socket', 1 << 32 | VSOCK, socket.SOCK_STREAM, 0),
    'a socket to the ciphers of the kernel': lambda: socket_of(38, socket.SOCK_SEQPACKET),
    'other families of sockets': other_families,
    'a queue into the kernel': lambda: call('io_uring_setup', 8, b'\0' * 120),
    'calls of 32 bits': thirty_two_bits,
    'interfaces beside loopback': lambda: found([name for name in os.listdir('/sys/class/net') if name != 'lo']),
    'routes': lambda: found(routes()),
    'servers of names': lambda: found([a for a in socket.getaddrinfo('metadata.google.internal', 80)]),
    'sockets of the engine and of others': lambda: found(sockets_of_others()),
    'a key in a ring': lambda: call('add_key', b'user', b'x', b'y', 1, -3),
    'a ring of keys': lambda: call('keyctl', 0, -3, 0),
    'a key on request': lambda: call('request_key', b'user', b'x', None, -3),
    'a program in the kernel': lambda: call('bpf', 0, b'\0' * 72, 72),
    'events of the processor': lambda: call('perf_event_open', b'\0' * 120, 0, -1, -1, 0),
    'a module': lambda: call('init_module', b'', 0, b''),
    'a module of a file': lambda: call('finit_module', 0, b'', 0),
    'another kernel': lambda: call('kexec_load', 0, 0, None, 0),
    'files by handle': lambda: call('open_by_handle_at', -100, b'\x08\0\0\0\x01\0\0\0' + b'\x02' + b'\0' * 15, 0),
    'faults of pages': lambda: call('userfaultfd', 0),
    'swap': lambda: call('swapon', b'/tmp/x', 0),
    'accounting': lambda: call('acct', b'/tmp/x'),
    'a restart': lambda: call('reboot', 0xfee1dead, 672274793, 0x01234567, 0),
    'the clock': lambda: call('settimeofday', (ctypes.c_long * 2)(0, 0), None),
    'the name of the host': lambda: call('sethostname', b'x', 1),
    'be root': lambda: os.setuid(0),
    'be a group of root': lambda: os.setgid(0),
    'have a group of root': lambda: os.setgroups([0]),
    'all capabilities': lambda: call('capset', (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*([0xffffffff, 0xffffffff, 0] * 2))),
    'capabilities of a file': lambda: os.setxattr(__file__, 'security.capability', b'\1\0\0\2\xff\xff\xff\xff' + b'\0' * 12),
    'a program with the bit of its owner': setuid_root_program,
    'programs of root': su,
    'a file of root': lambda: os.chown(__file__, 0, 0),
    'a limit of its own': lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20)),
    'calls without a filter': lambda: found([line for line in open('/proc/self/status') if line.startswith('Seccomp:') and '2' not in line]),
}


def end_of(attempt):
    """Runs one attempt in a child process, so that a successful one changes nothing for those after it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            attempt()
            end = 'done'
        except socket.gaierror:
            end = 'unresolved'
        except OSError as error:
            end = errno.errorcode.get(error.errno, str(error.errno))
        except ValueError as error:
            end = f'refused: {error}'
        os.write(writer, end.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        end = told.read()
    os.waitpid(child, 0)
    return end or 'died'


print(json.dumps({name: end_of(attempt) for name, attempt in ATTEMPTS.items()}))
