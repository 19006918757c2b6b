// SPDX-License-Identifier: Apache-2.0
//
// The only access to the network.
// INVARIANT (pinned): a name is resolved once, all of its addresses must be public, and the connection goes to one of
// the checked addresses. So a second answer of a name server can't redirect it. Where a gate is the only egress, the
// gate enforces this, and literal addresses are checked here too. Redirects are returned as responses, and never
// followed.
import { isPublicAddress } from '@writ/egress';
import type { CertificateFacts, Destination, HostNet, HttpAnswer, HttpRequest } from '../host/host.ts';
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

  /** All addresses of a host. @throws StepError where there are none, or one isn't public */
  async lookUp(host: string): Promise<readonly string[]> {
    return verifiedAddresses(host, await this.#net.lookUp(bareHost(host), this.#remainingMs()));
  }

  /** The address to connect to; null where only the gate resolves names. @throws StepError as above */
  async #addressOf(host: string): Promise<string | null> {
    const addresses = await this.#net.resolve(bareHost(host), this.#remainingMs());
    return addresses === null ? null : (verifiedAddresses(host, addresses)[0] ?? null);
  }

  async #destination(name: string): Promise<Destination> {
    return { name, address: await this.#addressOf(name) };
  }

  async request(method: HttpRequest['method'], url: string, body: string | null = null): Promise<HttpAnswer> {
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

  async certificate(host: string, port: number): Promise<CertificateFacts> {
    return this.#net.certificate(await this.#destination(host), port, this.#remainingMs());
  }
}

/** The host without brackets and final dot. @throws StepError for what is no public host */
function bareHost(host: string): string {
  const fault = hostFault(host);
  if (fault !== null) throw refused(`the host ${fault}`);
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function verifiedAddresses(host: string, addresses: readonly string[]): readonly string[] {
  if (addresses.length === 0) throw new StepError(`\`${host}\` has no address`);
  const inner = addresses.find((address) => !isPublicAddress(address));
  if (inner !== undefined)
    throw refused(`\`${host}\` leads to \`${inner}\`, which is no address of the public Internet`);
  return addresses;
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}
