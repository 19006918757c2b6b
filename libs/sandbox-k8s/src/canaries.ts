// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { connect, isIPv6 } from 'node:net';

/** A name and a port, or an address and a port. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** A working canary answers at once. */
const CONNECT_MS_MAX = 2_000;
/** A canary that has just answered counts as reachable for this long. */
const FRESH_MS = 10_000;

/** Parses `host:port`, an IPv6 address with or without brackets. Throws an Error that says what is wrong. */
export function parseHostPort(text: string): HostPort {
  const [, named = '', digits = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const host = named.replace(/^\[(.+)\]$/, '$1');
  const port = Number(digits);
  const isHostPort = isIPv6(host) || /^[A-Za-z0-9._-]+$/.test(host);
  if (!isHostPort || port < 1 || port > 65_535) throw new Error(`\`${text}\` is no \`host:port\``);
  return { host, port };
}

/**
 * Addresses that answer every client that the network's rules permit. A pod counts as isolated once all of them have
 * refused it. A pod can't resolve names, so each is resolved here. Each is also tried here: a canary that answers no
 * client proves nothing by refusing a pod.
 */
export class Canaries {
  readonly #hostPorts: readonly HostPort[];
  #reachable: { readonly addresses: readonly string[]; readonly until: number } | null = null;

  constructor(hostPorts: readonly HostPort[]) {
    this.#hostPorts = hostPorts;
  }

  /** `IP:port` of each canary. Rejects where one doesn't answer, with an Error that names the remedy. */
  async reachableAddresses(): Promise<readonly string[]> {
    if (this.#reachable !== null && this.#reachable.until > performance.now()) return this.#reachable.addresses;
    const addresses = await Promise.all(this.#hostPorts.map(addressOf));
    this.#reachable = { addresses: [...new Set(addresses)], until: performance.now() + FRESH_MS };
    return this.#reachable.addresses;
  }
}

async function addressOf({ host, port }: HostPort): Promise<string> {
  const hint =
    'a pod that is refused there would prove nothing: ' +
    'see that it listens, and that network policies let this executor reach it';
  const { address } = await lookup(host).catch((cause: unknown) => {
    throw new Error(`the canary \`${host}:${port}\` has no address; ${hint}`, { cause });
  });
  if (!(await answers(address, port)))
    throw new Error(`the canary \`${host}:${port}\` doesn't answer this executor; ${hint}`);
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answered: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answered);
    };
    const timer = setTimeout(() => end(false), CONNECT_MS_MAX);
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
