// SPDX-License-Identifier: Apache-2.0

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Name and port as one text: `host:port`, an IPv6 address in brackets. */
export const hostOf = ({ protocol, hostname, port }: URL): string =>
  `${hostname}:${port === '' ? (DEFAULT_PORTS[protocol] ?? '') : port}`;

/**
 * Parses `host:port,host:port`: hosts that the operator allows to be reached, whatever their address, also by plain
 * HTTP. Throws on another form.
 */
export function parseAllowedHosts(text: string): ReadonlySet<string> {
  return new Set(
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map((entry) => {
        const url = URL.parse(`http://${entry}`);
        if (
          url === null ||
          !/:\d{1,5}$/.test(entry) ||
          url.pathname !== '/' ||
          url.username !== '' ||
          url.search !== ''
        )
          throw new Error(`\`${entry}\` is no \`host:port\``);
        return hostOf(url);
      }),
  );
}
