// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { connect, isIPv6 } from 'node:net';

/** A name and a port, or an address and a port. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** One that answers answers at once; one that doesn't is no canary. */
const CONNECT_MS_MAX = 2_000;
/** A canary that has just answered still stands. */
const FRESH_MS = 10_000;

/** Reads `host:port`, an IPv6 address with or without brackets. Throws an Error that says what is wrong. */
export function parseHostPort(text: string): HostPort {
  const [, named = '', digits = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const host = named.replace(/^\[(.+)\]$/, '$1');
  const port = Number(digits);
  const isPlace = isIPv6(host) || /^[A-Za-z0-9._-]+$/.test(host);
  if (!isPlace || port < 1 || port > 65_535) throw new Error(`\`${text}\` is no \`host:port\``);
  return { host, port };
}

/**
 * What a pod must be refused at before it counts as closed: addresses that answer whoever the network's rules let
 * through. A pod has no names, so each is looked up here, and asked here: a canary that answers nobody proves nothing
 * by refusing a pod.
 */
export class Canaries {
  readonly #places: readonly HostPort[];
  #standing: { readonly addresses: readonly string[]; readonly until: number } | null = null;

  constructor(places: readonly HostPort[]) {
    this.#places = places;
  }

  /** `IP:port` of each. Rejects with an Error that says what to do where one doesn't answer. */
  async standing(): Promise<readonly string[]> {
    if (this.#standing !== null && this.#standing.until > performance.now()) return this.#standing.addresses;
    const addresses = await Promise.all(this.#places.map(addressOf));
    this.#standing = { addresses: [...new Set(addresses)], until: performance.now() + FRESH_MS };
    return this.#standing.addresses;
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
