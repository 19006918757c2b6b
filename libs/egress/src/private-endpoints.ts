// SPDX-License-Identifier: Apache-2.0
import { PORT_MAX } from '@writ/contract';
import { isCanonicalHost } from './host.ts';
import { hasUsualPort, type EgressTarget } from './target.ts';

/** A host with its port, or without one: then the web server at it, on the ports of http and https. */
const ENDPOINT = /^([^:]*)(?::([1-9][0-9]{0,4}))?$/;

/** A host whose addresses may be private. */
export interface PrivateEndpoint {
  readonly host: string;
  /** the only port; null: the ports of http and https, for these protocols */
  readonly port: number | null;
}

/**
 * Parses the operator's list of private endpoints: hosts and `host:port`, with commas between; nothing where the text
 * is empty. @throws Error that names the wrong entry and what is expected
 */
export function parsePrivateEndpoints(text: string): readonly PrivateEndpoint[] {
  return text === '' ? [] : text.split(',').map(endpointOf);
}

function endpointOf(entry: string): PrivateEndpoint {
  const [, host, port] = ENDPOINT.exec(entry) ?? [];
  if (host === undefined || !isCanonicalHost(host) || Number(port ?? 0) > PORT_MAX)
    throw new Error(
      `\`${entry}\` is neither a host nor \`host:port\`: write a lower-case name or an IPv4 address, and a port of 1 to ${PORT_MAX}`,
    );
  return { host, port: port === undefined ? null : Number(port) };
}

/**
 * Answers whether the operator named the target. A host without a port is named for its web server, and for none of its
 * other services.
 */
export const isPrivateEndpoint = (endpoints: readonly PrivateEndpoint[], target: EgressTarget): boolean =>
  endpoints.some(
    ({ host, port }) => host === target.host && (port === null ? hasUsualPort(target) : port === target.port),
  );
