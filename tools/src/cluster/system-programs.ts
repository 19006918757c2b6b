// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, installPackages } from '../parts/packages.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { IN_NODE } from './paths.ts';

/** Programs that a node runs or calls, and their Debian packages. */
const PROGRAMS: Readonly<Record<string, string>> = {
  etcd: 'etcd-server',
  containerd: 'containerd',
  ctr: 'containerd',
  'containerd-shim-runc-v2': 'containerd',
  runc: 'runc',
  nft: 'nftables',
  iptables: 'iptables',
  ipset: 'ipset',
  conntrack: 'conntrack',
  ebtables: 'ebtables',
  ethtool: 'ethtool',
  socat: 'socat',
  ip: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  mount: 'mount',
  umount: 'mount',
  mountpoint: 'util-linux',
};

/** Plugins of the container network, which aren't on PATH. */
const CNI_PLUGINS = ['bridge', 'host-local', 'portmap', 'tuning', 'loopback'] as const;
const CNI_PACKAGE = 'containernetworking-plugins';

const WHY = 'to run a Kubernetes node on this machine';

/** Without it packets between pods bypass netfilter on the bridge, and no network policy applies. */
const BRIDGE_FILTER = '/proc/sys/net/bridge/bridge-nf-call-iptables';

const missingPackages = (env: Setup['env']): string[] => [
  ...new Set([
    ...Object.entries(PROGRAMS)
      .filter(([program]) => findProgram(env, program) === undefined)
      .map(([, name]) => name),
    ...(CNI_PLUGINS.some((plugin) => !existsSync(join(IN_NODE.cniBin, plugin))) ? [CNI_PACKAGE] : []),
  ]),
];

/** Paths of the machine's programs that the set-up calls itself. */
export interface SystemPrograms {
  readonly etcd: string;
  readonly containerd: string;
  readonly ctr: string;
}

/**
 * Installs the node's Debian packages.
 *
 * @throws SetupError without root, without a package, or where the kernel can't filter packets of a bridge
 */
export const ensureSystemPrograms = async (setup: Setup): Promise<SystemPrograms> => {
  if (process.getuid?.() !== 0)
    throw new SetupError('only root can run a Kubernetes node: it makes namespaces, mounts and network links', [
      'run the same command as root',
    ]);
  if (!existsSync(BRIDGE_FILTER)) {
    throw new SetupError("the kernel doesn't filter packets of bridges, so no network policy would hold", [
      'load the module with `modprobe br_netfilter`, and run the same command again',
    ]);
  }
  const missing = missingPackages(setup.env);
  if (missing.length > 0) await installPackages(setup, missing, WHY);
  const path = (name: string): string => {
    const found = findProgram(setup.env, name);
    if (found === undefined) throw new SetupError(`${PROGRAMS[name]} is installed, but \`${name}\` is not to be found`);
    return found;
  };
  return { etcd: path('etcd'), containerd: path('containerd'), ctr: path('ctr') };
};
