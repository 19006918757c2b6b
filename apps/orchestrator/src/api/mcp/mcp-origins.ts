// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import { Fault } from '@writ/contract';

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The names of hosts in a text, with commas between; none in an empty one.
 * @throws Error that names the wrong one
 */
export function parseHostNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  return names
    .filter((name) => name !== '')
    .map((name) => {
      // A name is what a URL has as its host: without scheme, port and path, and with brackets around IPv6.
      if (URL.parse(`http://${name}`)?.hostname !== name || !/^([a-z0-9._-]+|\[.+\])$/.test(name))
        throw new Error(`\`${name}\` is no name of a host, such as \`writ.example\` or \`[::1]\``);
      return name;
    });
}

/**
 * Rejects requests that a page in a browser could send to an address that its name was rebound to. A request must name
 * a host of this API, and one with an origin must come from such a host too.
 */
export class McpOrigins {
  readonly #hosts: ReadonlySet<string> | null;

  /**
   * @param listens the address that the API listens on
   * @param named host names by which clients reach the API, with commas between. Where there are none, an API on a
   *   loopback address accepts the names of that address, and any other API accepts every name.
   */
  constructor(listens: string, named: string) {
    const names = parseHostNames(named);
    if (names.length > 0) this.#hosts = new Set(names);
    else this.#hosts = isLoopback(listens) ? new Set([...LOOPBACK, bracketed(listens)]) : null;
  }

  /**
   * @param host the header `Host`
   * @param origin the header `Origin`, where there is one
   * @throws Fault `request.wrong_host`
   */
  verify(host: string | undefined, origin: string | undefined): void {
    const hostName = host === undefined ? null : hostNameOf(`http://${host}`);
    if (hostName === null || !this.#allows(hostName)) throw refused('Host');
    if (origin === undefined) return;
    const originName = hostNameOf(origin);
    if (originName === null || (this.#hosts === null ? originName !== hostName : !this.#allows(originName)))
      throw refused('Origin');
  }

  #allows(name: string): boolean {
    return this.#hosts === null || this.#hosts.has(name);
  }
}

const refused = (header: string): Fault =>
  new Fault('request.wrong_host', `the header \`${header}\` names no host of this API (\`WRIT_MCP_HOSTS\`)`);

const hostNameOf = (url: string): string | null => URL.parse(url)?.hostname || null;
const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host.toLowerCase());
const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);
