// SPDX-License-Identifier: Apache-2.0
import type { Grant } from '@writ/contract';

type NetGrant = Grant['net'][number];

/**
 * Answers whether every host that the inner domain pattern names is named by the outer one. `*.example.org` names every
 * host below `example.org`, at any depth, and not `example.org` itself.
 */
export function coversDomain(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  return outer.startsWith('*.') && inner.length > outer.length - 1 && inner.endsWith(outer.slice(1));
}

/**
 * Answers whether every (host, method) of the inner grant is granted by the outer ones. A grant without methods grants
 * nothing.
 */
export function coversNet(outer: readonly NetGrant[], inner: NetGrant): boolean {
  return inner.methods.every((method) =>
    outer.some((grant) => grant.methods.includes(method) && coversDomain(grant.domain, inner.domain)),
  );
}

/** Answers whether a grant lets a request with the method go to the host, which is in lower case. */
export function reaches(net: readonly NetGrant[], host: string, method: string): boolean {
  return net.some(
    (grant) => grant.methods.includes(method) && coversDomain(grant.domain, host) && !host.startsWith('*'),
  );
}
