// SPDX-License-Identifier: Apache-2.0
import { SetupError } from '../setup-error.ts';

/** The two ends of the link between the machine and its node: a network of four addresses that nothing else uses. */
export interface Addresses {
  readonly host: string;
  /** Where the API server listens, and where NodePorts are reached. */
  readonly node: string;
}

/** Networks of the cluster, which the machine itself never sees: they exist in the node's network namespace. */
export const NETWORKS = {
  pods: '10.244.0.0/16',
  /** The only node's part of them. */
  nodePods: '10.244.0.0/24',
  services: '10.96.0.0/16',
  /** The first address of the services' network belongs to the API server, by Kubernetes' own rule. */
  apiService: '10.96.0.1',
  dnsService: '10.96.0.10',
} as const;

export const PREFIX_LENGTH = 30;
export const API_PORT = 6443;

/** More clusters than one machine can hold. */
const CANDIDATES = 64;

/**
 * The first free pair of addresses of 10.213.0.0/16.
 *
 * @param used IPv4 addresses that interfaces of the machine have
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

/** IPv4 addresses out of the output of `ip -json -4 address`. */
export const parseAddresses = (json: string): string[] =>
  (JSON.parse(json) as { addr_info?: { local?: string }[] }[]).flatMap(({ addr_info: info = [] }) =>
    info.flatMap(({ local }) => local ?? []),
  );
