// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from '@writ/egress';
import { DIRECT, type Outbound } from '@writ/nest-kit';
import { hostOf } from './allowed-hosts.ts';
import { DeliveryError } from './delivery-error.ts';
import { bareHost, parseWebhookUrl } from './webhook-url.ts';

/** A place that may be connected to, and by exactly this address. */
export type PinnedPlace = DirectPlace | ProxiedPlace;
export interface DirectPlace {
  readonly url: URL;
  readonly address: string;
  readonly proxy: null;
}
export interface ProxiedPlace {
  readonly url: URL;
  /** null: the proxy resolves the name, and judges where it leads */
  readonly address: string | null;
  readonly proxy: URL;
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** By this machine's resolver. */
export const resolveByDns: Resolve = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * The way out for webhooks. INVARIANT (no way in): nothing is connected to but a public address, or a place that the
 * operator named; the address that was judged is the one that is connected to, so that a name can't lead elsewhere
 * between the two.
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
   * Judges where a URL leads now. One address that isn't public is enough to refuse a name: who answers both ways is
   * choosing what we see.
   * @throws DeliveryError `url.refused`, `host.unknown`, `address.refused`
   */
  async pin(text: string): Promise<PinnedPlace> {
    const url = this.#parse(text);
    const host = bareHost(url);
    const isNamed = this.#allowed.has(hostOf(url));
    // What the operator names is inside: the proxy to the world doesn't lead there.
    const proxy = isNamed ? null : this.#outbound.proxyFor(host);
    if (proxy !== null && this.#outbound.proxyResolves && isIP(host) === 0) return { url, address: null, proxy };
    const addresses = isIP(host) === 0 ? await this.#addressesOf(host) : [host];
    const [first] = addresses;
    if (first === undefined) throw new DeliveryError('host.unknown');
    // Which address it was is not told: whoever made the webhook would learn what names mean in here.
    if (!isNamed && !addresses.every(isPublicAddress)) throw new DeliveryError('address.refused');
    return { url, address: first, proxy };
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
