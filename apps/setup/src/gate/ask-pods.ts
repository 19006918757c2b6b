// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import type { AskedPod, PodAnswer } from './decide.ts';

/** A component, by the headless Service that names all its pods. */
export interface GatePeer {
  readonly component: string;
  readonly side: 'earlier' | 'later';
  readonly host: string;
  readonly port: number;
}

/** What answers on the ops port of a pod that waits at its gate. */
export const WAITING = 'waiting';

/** A pod on the same network answers within milliseconds, unless it is gone. */
const ASK_MS = 2_000;

/** A health answer has some 200 bytes. A longer one comes from something else, and a gate reads no more of it. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** Resolves a name to all its addresses, as `lookup` of `node:dns/promises` does. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Where the system has its settings of name resolution. */
const RESOLVER = '/etc/resolv.conf';

/**
 * The whole name of a Service, `NAME.NAMESPACE.svc.DOMAIN.`. A shorter one without pods would be sought outside of the
 * cluster as well, where an answer is late, or never comes. What isn't in a cluster keeps its name.
 *
 * @param settings the text of `resolv.conf`
 */
export function wholeName(host: string, settings: string): string {
  if (host.includes('.')) return host;
  const search = /^search\s+(.*)$/m.exec(settings)?.[1]?.split(/\s+/) ?? [];
  const own = search.find((domain) => /^[a-z0-9-]+\.svc\./.test(domain));
  return own === undefined ? host : `${host}.${own.replace(/\.$/, '')}.`;
}

const resolveByDns: Resolve = async (host) => {
  const name = wholeName(host, readFileSync(RESOLVER, 'utf8'));
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

async function askOne(address: string, port: number): Promise<Exclude<PodAnswer, { kind: 'silent' }> | null> {
  try {
    const host = address.includes(':') ? `[${address}]` : address;
    const response = await fetch(`http://${host}:${port}/healthz`, { signal: AbortSignal.timeout(ASK_MS) });
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
    // Leaving the loop ends the connection.
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

/** Asks pods again and again, and remembers since when one has been silent. */
export class PodAsker {
  readonly #peers: readonly GatePeer[];
  readonly #now: () => number;
  readonly #resolve: Resolve;
  #silentSince = new Map<string, number>();

  /** @param now a clock that only goes forward, in milliseconds */
  constructor(peers: readonly GatePeer[], now: () => number, resolve: Resolve = resolveByDns) {
    this.#peers = peers;
    this.#now = now;
    this.#resolve = resolve;
  }

  /** Asks every pod of every peer. @throws Error where names can't be resolved */
  async ask(): Promise<AskedPod[]> {
    const pods = (await Promise.all(this.#peers.map((peer) => this.#askPeer(peer)))).flat();
    // Of pods that are gone nothing is remembered: another may get the address.
    const silent = new Set(pods.filter(({ answer }) => answer.kind === 'silent').map(keyOf));
    this.#silentSince = new Map([...this.#silentSince].filter(([key]) => silent.has(key)));
    return pods;
  }

  async #askPeer({ component, side, host, port }: GatePeer): Promise<AskedPod[]> {
    const addresses = await addressesOf(host, this.#resolve);
    return Promise.all(
      addresses.map(async (address) => {
        const answer = (await askOne(address, port)) ?? this.#silence(keyOf({ component, address }));
        return { component, side, address, answer };
      }),
    );
  }

  #silence(key: string): PodAnswer {
    const now = this.#now();
    const since = this.#silentSince.get(key) ?? now;
    this.#silentSince.set(key, since);
    return { kind: 'silent', sinceMs: now - since };
  }
}

const keyOf = ({ component, address }: Pick<AskedPod, 'component' | 'address'>): string => `${component} ${address}`;
