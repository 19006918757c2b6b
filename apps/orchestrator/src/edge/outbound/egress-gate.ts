// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from '@writ/egress';
import { DIRECT, type Outbound } from '@writ/nest-kit';
import { hostOf } from './allowed-hosts.ts';
import { DeliveryError } from './delivery-error.ts';
import { bareHost, parseWebhookUrl } from './webhook-url.ts';

/** A target that may be connected to, at exactly this address. */
export type PinnedTarget = DirectTarget | ProxiedTarget;
export interface DirectTarget {
  readonly url: URL;
  readonly address: string;
  readonly proxy: null;
}
export interface ProxiedTarget {
  readonly url: URL;
  /** null: the proxy resolves and checks the name */
  readonly address: string | null;
  readonly proxy: URL;
}

/** A host and a port as a URL, which the checks of URLs take. */
export const urlOfHost = (host: string, port: number): string =>
  `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`;

/** Resolves a name to all its addresses. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Resolves a name with this machine's resolver. */
export const resolveByDns: Resolve = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * Controls outgoing connections to URLs that tenants choose: webhooks, and the documents of OAuth issuers.
 * INVARIANT (no internal targets): a connection goes only to a public address, or to a host that the operator allowed.
 * It uses exactly the address that was checked, so that DNS rebinding has no effect.
 */
export class EgressGate {
  readonly #allowed: ReadonlySet<string>;
  readonly #resolve: Resolve;
  readonly #outbound: Outbound;

  constructor(allowed: ReadonlySet<string>, resolve: Resolve = resolveByDns, outbound: Outbound = DIRECT) {
    this.#allowed = allowed;
    this.#resolve = resolve;
    this.#outbound = outbound;
  }

  /**
   * Resolves a URL and checks its addresses. One address that isn't public is enough to refuse a name, because whoever
   * mixes both kinds controls which one is used.
   * @throws DeliveryError `url.refused`, `host.unknown`, `address.refused`
   */
  async pin(text: string): Promise<PinnedTarget> {
    const url = this.#parse(text);
    const host = bareHost(url);
    const isAllowed = this.#allowed.has(hostOf(url));
    // Hosts that the operator allows are internal; the outbound proxy doesn't reach them.
    const proxy = isAllowed ? null : this.#outbound.proxyFor(host);
    if (proxy !== null && this.#outbound.proxyResolves && isIP(host) === 0) return { url, address: null, proxy };
    const addresses = isIP(host) === 0 ? await this.#addressesOf(host) : [host];
    const [first] = addresses;
    if (first === undefined) throw new DeliveryError('host.unknown');
    // The error hides the address: otherwise the webhook's creator could resolve internal names.
    if (!isAllowed && !addresses.every(isPublicAddress)) throw new DeliveryError('address.refused');
    return { url, address: first, proxy };
  }

  /** As `pin`, of a host and a port that are reached by another protocol. The URL has them, and no path. */
  async pinHost(host: string, port: number): Promise<PinnedTarget> {
    if (!/^[A-Za-z0-9.:-]+$/.test(host)) throw new DeliveryError('url.refused');
    return await this.pin(urlOfHost(host, port));
  }

  /** Whether the operator allowed this host, whatever its address, also without encryption. */
  allows(url: URL): boolean {
    return this.#allowed.has(hostOf(url));
  }

  #parse(text: string): URL {
    try {
      return parseWebhookUrl(text, this.#allowed);
    } catch (cause) {
      throw new DeliveryError('url.refused', { cause });
    }
  }

  async #addressesOf(host: string): Promise<readonly string[]> {
    try {
      return await this.#resolve(host);
    } catch (cause) {
      throw new DeliveryError('host.unknown', { cause });
    }
  }
}
