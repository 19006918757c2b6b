// SPDX-License-Identifier: Apache-2.0
// Scopes of API keys: groups of routes. A scope never gives a right. It limits what the key's role may do.
import { Fault } from '@writ/contract';
import type { RouteRow } from '../requests/route.ts';

/**
 * Groups whose routes make credentials. INVARIANT (no wider key): a key with scopes may read them only, since it could
 * give itself another key, or another way in, without these scopes.
 */
const READ_ONLY: ReadonlySet<string> = new Set(['api-keys', 'identity-providers', 'invitations']);

/** The scope that a key with scopes needs for the route: `operations:read`, or `operations:write`. */
export const scopeOf = ({ tag, method }: Pick<RouteRow, 'tag' | 'method'>): string =>
  `${tag}:${method === 'GET' ? 'read' : 'write'}`;

/** The scopes that keys can have: one for each group of routes that keys may use, sorted. */
export function scopesOf(rows: readonly RouteRow[]): readonly string[] {
  const ofKeys = rows.filter(({ allowed, unscoped }) => typeof allowed !== 'string' && unscoped !== true);
  const scopes = new Set(ofKeys.map(scopeOf).filter((scope) => !isReadOnly(scope)));
  return [...scopes].sort();
}

const isReadOnly = (scope: string): boolean => scope.endsWith(':write') && READ_ONLY.has(scope.slice(0, -6));

/** Fault `auth.insufficient_scope` where the key has scopes, and none of them is the route's. */
export function verifyScope({ scopes }: { readonly scopes: readonly string[] }, row: RouteRow): void {
  const needed = scopeOf(row);
  if (scopes.length === 0 || row.unscoped === true || scopes.includes(needed)) return;
  const has = scopes.map((scope) => `\`${scope}\``).join(', ');
  throw new Fault('auth.insufficient_scope', `the key needs the scope \`${needed}\`; it has ${has}`);
}
