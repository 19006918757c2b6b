// SPDX-License-Identifier: Apache-2.0
//
// The node lives in its own network and mount namespaces. A sleeping process holds both. When all processes of the node
// are gone, the kernel removes the namespaces with all their rules, links and mounts.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { launch, type Child } from '../process/launch.ts';
import { waitUntilReady } from '../parts/ready.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { chooseAddresses, NETWORKS, parseAddresses, PREFIX_LENGTH, type Addresses } from './address.ts';
import { IN_NODE, linkName, type ClusterPaths } from './paths.ts';

/**
 * Machine-wide settings that the kubelet changes. In the node, files with the wanted values hide them, and the machine
 * keeps its own.
 */
const SYSCTLS = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
} as const;

/**
 * Settings of the node's own network namespace: it forwards between pods, and policies apply to packets on its bridge.
 */
const NETWORK_SYSCTLS = ['net/ipv4/ip_forward', 'net/bridge/bridge-nf-call-iptables'] as const;

const READY_MS = 10_000;
const HOLDER = 'sleep';

/** A minimal environment: a user's proxy or kubeconfig must not change the node's behaviour. */
export const NODE_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LANG: 'C.UTF-8',
} as const;

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const sysctlFile = (etc: string, name: string): string => join(etc, 'sysctl', name.replaceAll('/', '.'));

/** The shell script that makes the mounts of the namespace, and becomes the process that holds it. */
export const holderScript = ({ etc, data, log }: ClusterPaths): string =>
  [
    'set -eu',
    // From here on mounts reach the namespaces of containers, and not the machine.
    'mount --make-rshared /',
    // On a machine with both versions, this node's containers are in version 1: with a visible version 2, they would be
    // looked up there.
    'if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi',
    ...Object.keys(SYSCTLS).map(
      (name) => `if [ -e /proc/sys/${name} ]; then mount --bind ${quote(sysctlFile(etc, name))} /proc/sys/${name}; fi`,
    ),
    // Programs keep files there, whatever their settings. A mount point on the machine would disturb other nodes: its
    // removal would unmount theirs.
    ...['/run', '/var/lib'].map((dir) => `mount -t tmpfs -o mode=0755 tmpfs ${dir}`),
    `mkdir -p /run/lock ${dirname(IN_NODE.containerdSocket)} ${IN_NODE.kubelet}`,
    `mount --bind ${quote(join(data, 'kubelet'))} ${IN_NODE.kubelet}`,
    `mount --bind ${quote(log)} /var/log`,
    // A resolver of the machine is unreachable here: without one nothing waits for it.
    `if [ -e /etc/resolv.conf ]; then mount --bind ${quote(join(etc, 'resolv.conf'))} /etc/resolv.conf; fi`,
    ...NETWORK_SYSCTLS.map((name) => `if [ -e /proc/sys/${name} ]; then echo 1 > /proc/sys/${name}; fi`),
    `exec ${HOLDER} infinity`,
  ].join('\n');

/** The command prefix that runs another command in the namespaces of a process, under the same pid. */
export const enter = (pid: number): readonly string[] => [
  'nsenter',
  `--target=${pid}`,
  '--mount',
  '--net',
  '--wd=/',
  '--',
];

const ip = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync('ip', args, { encoding: 'utf8', env: NODE_ENVIRONMENT });
  if (status !== 0) throw new SetupError(`\`ip ${args.join(' ')}\` failed`, stderr.trim().split('\n'));
  return stdout;
};

/** Links the machine with the node. The node gets no default route: it reaches only the machine. */
const connect = (setup: Setup, pid: number): Addresses => {
  const addresses = chooseAddresses(parseAddresses(ip('-json', '-4', 'address')));
  const link = linkName(setup);
  const inNode = (...args: string[]): void => {
    const { status, stderr } = spawnSync('nsenter', [`--target=${pid}`, '--net', '--', 'ip', ...args], {
      encoding: 'utf8',
      env: NODE_ENVIRONMENT,
    });
    if (status !== 0) throw new SetupError(`\`ip ${args.join(' ')}\` failed in the node`, stderr.trim().split('\n'));
  };
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid));
  ip('address', 'add', `${addresses.host}/${PREFIX_LENGTH}`, 'dev', link);
  ip('link', 'set', link, 'up');
  inNode('address', 'add', `${addresses.node}/${PREFIX_LENGTH}`, 'dev', 'eth0');
  for (const name of ['lo', 'eth0']) inNode('link', 'set', name, 'up');
  // Without a route the kernel refuses a service's address before kube-proxy's rules apply.
  inNode('route', 'add', NETWORKS.services, 'dev', 'eth0');
  return addresses;
};

const isHolder = async (pid: number): Promise<boolean> => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === HOLDER;

const writeSysctls = (etc: string): void => {
  for (const [name, value] of Object.entries(SYSCTLS)) writeFileSync(sysctlFile(etc, name), `${value}\n`);
  writeFileSync(join(etc, 'resolv.conf'), '');
};

/** The namespaces of a node. */
export interface Namespaces {
  readonly holder: Child;
  readonly addresses: Addresses;
}

/** Creates the namespaces, and links the machine with them. They last as long as a process lives in them. */
export const makeNamespaces = async (setup: Setup, paths: ClusterPaths): Promise<Namespaces> => {
  writeSysctls(paths.etc);
  const holder = await launch(setup, {
    name: 'namespaces',
    kind: 'engine',
    command: 'unshare',
    args: ['--mount', '--net', '--propagation', 'private', '--', 'sh', '-c', holderScript(paths)],
    env: NODE_ENVIRONMENT,
    signal: 'SIGKILL',
    graceMs: 2_000,
  });
  await waitUntilReady(holder, () => isHolder(holder.who.pid), READY_MS);
  // Verified again before any process enters: one in the machine's own mount namespace would change the machine.
  if (statSync(`/proc/${holder.who.pid}/ns/mnt`).ino === statSync('/proc/self/ns/mnt').ino)
    throw new SetupError('the node has no mount namespace of its own');
  return { holder, addresses: connect(setup, holder.who.pid) };
};
