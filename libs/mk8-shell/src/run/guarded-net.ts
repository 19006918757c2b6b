// SPDX-License-Identifier: Apache-2.0
//
// The only way to the network. INVARIANT (pinned): a name is resolved once; every address that it has must be public,
// and the connection goes to one of those that were judged, so that no second answer of a name server can lead
// elsewhere. Where a gate is the only way out, it keeps this, and addresses written as such are judged here too.
// Redirects are answers, and never followed.
import { isPublicAddress } from '@writ/egress';
import type { CertificateFacts, Destination, HostNet, HttpAnswer, HttpAsked } from '../host/host.ts';
import { VERB_LIMITS } from '../limits.ts';
import { hostFault, urlFault } from '../registry/arguments.ts';
import { StepError, refused } from './step-error.ts';

export class GuardedNet {
  readonly #net: HostNet;
  readonly #remainingMs: () => number;
  readonly #signal: AbortSignal;

  constructor(net: HostNet, signal: AbortSignal, remainingMs: () => number) {
    this.#net = net;
    this.#signal = signal;
    this.#remainingMs = remainingMs;
  }

  /**
   * All addresses of a host; null where the gate alone resolves names.
   * @throws StepError where there are none, or one isn't public
   */
  async addresses(host: string): Promise<readonly string[] | null> {
    const fault = hostFault(host);
    if (fault !== null) throw refused(`the host ${fault}`);
    const addresses = await this.#net.resolve(host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, ''), this.#remainingMs());
    if (addresses === null) return null;
    if (addresses.length === 0) throw new StepError(`\`${host}\` has no address`);
    const inner = addresses.find((address) => !isPublicAddress(address));
    if (inner !== undefined)
      throw refused(`\`${host}\` leads to \`${inner}\`, which is no address of the public Internet`);
    return addresses;
  }

  async #destination(name: string): Promise<Destination> {
    return { name, address: (await this.addresses(name))?.[0] ?? null };
  }

  async request(method: HttpAsked['method'], url: string, body: string | null = null): Promise<HttpAnswer> {
    const fault = urlFault(url);
    if (fault !== null) throw refused(`the URL ${fault}`);
    const { address } = await this.#destination(new URL(url).hostname);
    const headers: Record<string, string> =
      body === null ? {} : { 'content-type': isJson(body) ? 'application/json' : 'text/plain; charset=utf-8' };
    return this.#net.request(
      {
        method,
        url: new URL(url).href,
        address,
        headers,
        body,
        bytesMax: VERB_LIMITS.httpBodyBytes,
        timeoutMs: this.#remainingMs(),
      },
      this.#signal,
    );
  }

  async connect(host: string, port: number, timeoutMs: number): Promise<number> {
    return this.#net.connect(await this.#destination(host), port, Math.min(timeoutMs, this.#remainingMs()));
  }

  async ping(host: string, timeoutMs: number): Promise<number | null | 'impossible'> {
    return this.#net.ping(await this.#destination(host), Math.min(timeoutMs, this.#remainingMs()));
  }

  async certificate(host: string, port: number): Promise<CertificateFacts> {
    return this.#net.certificate(await this.#destination(host), port, this.#remainingMs());
  }
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}
