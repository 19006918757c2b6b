// SPDX-License-Identifier: Apache-2.0
import { SetupError } from '../setup-error.ts';

/** Both ends of the link between the machine and its node: an unused network of four addresses. */
export interface Addresses {
  readonly host: string;
  /** The address of the API server and of NodePorts. */
  readonly node: string;
}

/** Networks of the cluster, which exist only in the node's network namespace, and not on the machine. */
export const NETWORKS = {
  pods: '10.244.0.0/16',
  /** The only node's part of the pod network. */
  nodePods: '10.244.0.0/24',
  services: '10.96.0.0/16',
  /** Kubernetes assigns the first address of the service network to the API server. */
  apiService: '10.96.0.1',
  dnsService: '10.96.0.10',
} as const;

export const PREFIX_LENGTH = 30;
export const API_PORT = 6443;

/** More clusters than one machine can run. */
const CANDIDATES = 64;

/**
 * The first free pair of addresses of 10.213.0.0/16.
 *
 * @param used IPv4 addresses of the machine's interfaces
 */
export const chooseAddresses = (used: readonly string[]): Addresses => {
  const taken = new Set(used.map((address) => address.split('.').slice(0, 3).join('.')));
  for (let index = 0; index < CANDIDATES; index += 1) {
    if (!taken.has(`10.213.${index}`)) return { host: `10.213.${index}.1`, node: `10.213.${index}.2` };
  }
  throw new SetupError(`all networks from 10.213.0.0 to 10.213.${CANDIDATES - 1}.0 are in use on this machine`, [
    '`ip -4 address` shows by what; end clusters that nobody uses with `npm run cluster -- --down`',
  ]);
};

/** IPv4 addresses in the output of `ip -json -4 address`. */
export const parseAddresses = (json: string): string[] =>
  (JSON.parse(json) as { addr_info?: { local?: string }[] }[]).flatMap(({ addr_info: info = [] }) =>
    info.flatMap(({ local }) => local ?? []),
  );
