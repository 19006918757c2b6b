// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import type { QueriedPod, PodAnswer } from './decide.ts';

/** A component, with the headless Service that resolves to all its pods. */
export interface GatePeer {
  readonly component: string;
  readonly side: 'earlier' | 'later';
  readonly host: string;
  readonly port: number;
}

/** The status that a pod answers on its ops port while it waits at its gate. */
export const WAITING = 'waiting';

/** Timeout of a request: a pod on the same network answers within milliseconds, unless it is gone. */
const REQUEST_TIMEOUT_MS = 2_000;

/** A health answer has about 200 bytes. A longer one comes from something else, and the gate reads no more of it. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** Resolves a name to all its addresses, as `lookup` of `node:dns/promises` does. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The system's settings of name resolution. */
const RESOLVER = '/etc/resolv.conf';

/**
 * The fully qualified name of a Service, `NAME.NAMESPACE.svc.DOMAIN.`. A shorter name without pods would be looked up
 * outside of the cluster as well, where an answer is late or never comes. Outside of a cluster the name stays
 * unchanged.
 *
 * @param settings the text of `resolv.conf`
 */
export function qualifiedNameOf(host: string, settings: string): string {
  if (host.includes('.')) return host;
  const search = /^search\s+(.*)$/m.exec(settings)?.[1]?.split(/\s+/) ?? [];
  const own = search.find((domain) => /^[a-z0-9-]+\.svc\./.test(domain));
  return own === undefined ? host : `${host}.${own.replace(/\.$/, '')}.`;
}

const resolveByDns: Resolve = async (host) => {
  const name = qualifiedNameOf(host, readFileSync(RESOLVER, 'utf8'));
  return (await lookup(name, { all: true })).map(({ address }) => address);
};

/** Addresses behind a name; none where there is no pod. @throws Error where names can't be resolved */
async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
    throw new Error(`\`${host}\` can't be resolved (${code ?? 'unknown'})`, { cause: error });
  }
}

async function queryPod(address: string, port: number): Promise<Exclude<PodAnswer, { kind: 'silent' }> | null> {
  try {
    const host = address.includes(':') ? `[${address}]` : address;
    const response = await fetch(`http://${host}:${port}/healthz`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    const { status, version } = (await readJson(response)) as { status?: unknown; version?: unknown };
    if (status === WAITING) return { kind: 'waits' };
    return { kind: 'runs', version: typeof version === 'string' ? version : '' };
  } catch {
    return null;
  }
}

/** @throws Error where the body is longer than an answer may be, or no JSON */
async function readJson({ body }: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    // Leaving the loop closes the connection.
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

/** Queries pods repeatedly, and remembers since when each one has been silent. */
export class PodProbe {
  readonly #peers: readonly GatePeer[];
  readonly #now: () => number;
  readonly #resolve: Resolve;
  #silentSince = new Map<string, number>();

  /** @param now a monotonic clock, in milliseconds */
  constructor(peers: readonly GatePeer[], now: () => number, resolve: Resolve = resolveByDns) {
    this.#peers = peers;
    this.#now = now;
    this.#resolve = resolve;
  }

  /** Queries every pod of every peer. @throws Error where names can't be resolved */
  async query(): Promise<QueriedPod[]> {
    const pods = (await Promise.all(this.#peers.map((peer) => this.#queryPeer(peer)))).flat();
    // Pods that are gone are forgotten: another pod may get the address.
    const silent = new Set(pods.filter(({ answer }) => answer.kind === 'silent').map(keyOf));
    this.#silentSince = new Map([...this.#silentSince].filter(([key]) => silent.has(key)));
    return pods;
  }

  async #queryPeer({ component, side, host, port }: GatePeer): Promise<QueriedPod[]> {
    const addresses = await addressesOf(host, this.#resolve);
    return Promise.all(
      addresses.map(async (address) => {
        const answer = (await queryPod(address, port)) ?? this.#recordSilence(keyOf({ component, address }));
        return { component, side, address, answer };
      }),
    );
  }

  #recordSilence(key: string): PodAnswer {
    const now = this.#now();
    const since = this.#silentSince.get(key) ?? now;
    this.#silentSince.set(key, since);
    return { kind: 'silent', sinceMs: now - since };
  }
}

const keyOf = ({ component, address }: Pick<QueriedPod, 'component' | 'address'>): string => `${component} ${address}`;
