// SPDX-License-Identifier: Apache-2.0
import type { DockerSandbox } from './docker-sandbox.ts';
import { openSandbox, runIn, textOf } from './engine.contract.ts';

let sandbox: DockerSandbox;
let image: string;
beforeAll(async () => {
  ({ sandbox, image } = await openSandbox());
}, 240_000);
afterAll(() => sandbox.close());

const outputOf = async (command: string) => textOf(await runIn(sandbox, image, command)).trim();

test('the only network is loopback, and nothing answers there', async () => {
  expect(await outputOf('ls /sys/class/net')).toBe('lo');
  expect(await outputOf('tail -n +3 /proc/net/dev | cut -d: -f1; tail -n +2 /proc/net/route')).toBe('lo');
  const attempt = (address: string) =>
    `python3 -c "import socket; s = socket.socket(); s.settimeout(2); s.connect(('${address}', 80))" 2>&1 | tail -1`;
  // TEST-NET-1 (RFC 5737) and the link-local address that clouds serve metadata at.
  expect(await outputOf(`${attempt('192.0.2.1')}; ${attempt('169.254.169.254')}; ${attempt('127.0.0.1')}`)).toMatch(
    /^OSError.*unreachable\nOSError.*unreachable\nConnectionRefusedError.*$/,
  );
});

test('the job is not root, has no capability and can gain none', async () => {
  expect(await outputOf('id -u; id -g; id -G')).toBe('10001\n10001\n10001');
  const status = await outputOf('cat /proc/self/status');
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    expect(status).toMatch(new RegExp(`^${set}:\\t0{16}$`, 'm'));
  expect(status).toMatch(/^NoNewPrivs:\t1$/m);
  // 2 is a filter, here our seccomp profile.
  expect(status).toMatch(/^Seccomp:\t2$/m);
});

test('everything but the workspace and /tmp is read-only', async () => {
  const writable =
    'for d in / /etc /usr/bin /opt/writ /var/tmp /home /root /sys /proc/sys/kernel; do echo x 2>/dev/null > $d/made && echo $d; done; echo x > /workspace/a && echo x > /tmp/a && echo only';
  expect(await outputOf(`(${writable}) 2>/dev/null`)).toBe('only');
  expect(
    await outputOf(
      'for m in "mount -t tmpfs x /mnt" "mount -o remount,rw /" "unshare -Ur true" "chroot / true" "mknod /tmp/d b 8 0"; do $m 2>/dev/null && echo "$m"; done; echo none',
    ),
  ).toBe('none');
});

test('a set-user-id program gains no privilege', async () => {
  expect(await outputOf('cp /usr/bin/id . && chmod u+s id && ./id -u')).toBe('10001');
  expect(
    await outputOf('findmnt 2>/dev/null >&2; grep -E " (/workspace|/tmp) " /proc/mounts | grep -cE "nosuid,nodev"'),
  ).toBe('2');
});

test('a job cannot reach the engine, the host or the agent', async () => {
  expect(
    await outputOf(
      'ls /var/run/docker.sock /run/docker.sock /.writ-* 2>/dev/null; ls -A /tmp; env | cut -d= -f1 | sort | tr "\\n" " "',
    ),
  ).toBe('HOME LANG LOGNAME PATH PWD SHELL SHLVL TERM TMPDIR USER _');
  // Its streams are the job's own pipes, and no other descriptor is open.
  expect(await outputOf('ls /proc/self/fd | tr "\\n" " "; readlink /proc/self/fd/0')).toMatch(/^0 1 2 3 \/dev\/null$/);
});

test('only what belongs to the container can be seen', async () => {
  const processes = await outputOf('for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline; echo; done');
  expect(
    processes.split('\n').filter((line) => line !== '' && !/docker-init|^\/opt\/writ\/agent *$|bash|tr/.test(line)),
  ).toEqual([]);
});

test('streams can be opened by name, as scripts do', async () => {
  const result = await runIn(
    sandbox,
    image,
    'echo out > /dev/stdout; echo err > /dev/stderr; cat /dev/stdin',
    {},
    { stdin: Buffer.from('in\n') },
  );
  expect([textOf(result).split('\n').sort(), result.exitCode]).toEqual([['', 'err', 'in', 'out'], 0]);
});

test('jobs find our node on the PATH', async () => {
  expect(
    await outputOf(
      'echo "import test from \'node:test\'; test(\'x\', () => {});" > a.test.mjs && node --test --test-reporter=tap | grep "^# pass"',
    ),
  ).toBe('# pass 1');
});
