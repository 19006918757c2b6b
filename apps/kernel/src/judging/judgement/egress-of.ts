// SPDX-License-Identifier: Apache-2.0
import { coversDomain } from '@writ/capability';
import type { JudgedAction } from '../policies/policy-sets.ts';
import type { CallFacts } from './call.ts';
import type { WellFormed } from './decide-form.ts';

type Egress = JudgedAction['egress'];
/** A host, or a pattern of hosts, and what may be sent there. */
interface Outlet {
  readonly domain: string;
  readonly methods: readonly string[];
}

/**
 * The egress that policy judges: the requests that the arguments name; for a command, which names none, the hosts that
 * its token allows; for a program with hosts of its own, those that the token allows, too. Null where nothing can
 * leave.
 */
export function egressOf({ chain, profile }: CallFacts, { tool, requests }: WellFormed): Egress {
  if (requests.length > 0) {
    return {
      domains: requests.map(({ target }) => target.host),
      methods: requests.map(({ method }) => method),
      purpose: requests.map(({ purpose }) => purpose).find((purpose) => purpose !== '') ?? '',
    };
  }
  // The token's own grants: a parent's can only be wider.
  const own = chain[0]?.token.grant.net ?? [];
  const { outlets = [] } = tool;
  if (outlets.length > 0) return asEgress(reachable(outlets, own));
  const granted = tool.class === 'sandboxed' ? own : [];
  // Both have to grant a request: only what the profile names can leave under it.
  return asEgress(granted.length > 0 && profile !== undefined && profile !== null ? profile.profile.net : granted);
}

const asEgress = (net: readonly Outlet[]): Egress =>
  net.length === 0
    ? null
    : { domains: net.map(({ domain }) => domain), methods: net.flatMap(({ methods }) => methods), purpose: '' };

/**
 * What a program can reach: both its settings and the token have to grant a request. Where one of them names a pattern
 * and the other a host below it, the host counts, so that a rule about that host applies.
 */
export function reachable(outlets: readonly Outlet[], granted: readonly Outlet[]): Outlet[] {
  const found = new Map<string, Outlet>();
  for (const outlet of outlets)
    for (const grant of granted) {
      const domain = narrower(outlet.domain, grant.domain);
      const methods = outlet.methods.filter((method) => grant.methods.includes(method));
      if (domain !== null && methods.length > 0) found.set(`${domain} ${methods.join()}`, { domain, methods });
    }
  return [...found.values()];
}

function narrower(one: string, other: string): string | null {
  if (coversDomain(one, other)) return other;
  return coversDomain(other, one) ? one : null;
}
