// SPDX-License-Identifier: Apache-2.0
import { RAW_METHODS, TUNNEL, type NetGrant } from '@writ/contract';

const RAW: ReadonlySet<string> = new Set(RAW_METHODS);
/** The ports of `http` and `https`. */
const WEB_PORTS: readonly number[] = [80, 443];

/**
 * The ports that a grant gives to a method: those that it names, or the usual ones. A raw connection has no usual port.
 * A tunnel's is that of `https`.
 */
export function portsOf({ ports }: Pick<NetGrant, 'ports'>, method: string): readonly number[] {
  if (ports !== undefined) return ports;
  if (method === TUNNEL) return [443];
  return RAW.has(method) ? [] : WEB_PORTS;
}

/**
 * Answers whether the outer domain pattern matches every host of the inner one. `*.example.org` matches every host
 * below `example.org`, at any depth, and not `example.org` itself.
 */
export function coversDomain(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  return outer.startsWith('*.') && inner.length > outer.length - 1 && inner.endsWith(outer.slice(1));
}

/**
 * Answers whether every (host, method, port) of the inner grant is granted by the outer ones. A grant without methods
 * grants nothing.
 */
export function coversNet(outer: readonly NetGrant[], inner: NetGrant): boolean {
  return inner.methods.every((method) => {
    const granting = outer.filter(
      (grant) => grant.methods.includes(method) && coversDomain(grant.domain, inner.domain),
    );
    return portsOf(inner, method).every((port) => granting.some((grant) => portsOf(grant, method).includes(port)));
  });
}

/** Answers whether a grant allows the method to this host and port. The host is in lower case. */
export function reaches(net: readonly NetGrant[], host: string, method: string, port: number): boolean {
  return net.some(
    (grant) =>
      grant.methods.includes(method) &&
      portsOf(grant, method).includes(port) &&
      coversDomain(grant.domain, host) &&
      !host.startsWith('*'),
  );
}

/** Answers whether a grant allows any connection to the host, so that its name may be resolved. */
export function reachesHost(net: readonly NetGrant[], host: string): boolean {
  return net.some(
    (grant) =>
      grant.methods.some((method) => portsOf(grant, method).length > 0) &&
      coversDomain(grant.domain, host) &&
      !host.startsWith('*'),
  );
}

/** A net grant in words: `*.example.org`, `mail.example.org:143,993`. */
export const describeHost = ({ domain, ports }: Pick<NetGrant, 'domain' | 'ports'>): string =>
  ports === undefined ? domain : `${domain}:${ports.join(',')}`;
