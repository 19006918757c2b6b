// SPDX-License-Identifier: Apache-2.0
// What gives roles: scopes and groups, as the registration of the issuer maps them, and the member's own role. Whoever
// isn't active is refused before (MemberLinks).
import type { JWTPayload } from 'jose';
import type { Role } from '../../../store/keys/roles.ts';
import type { ProviderMapping } from '../../../store/identities/identities.ts';
import { LEAST_FIRST } from '../oauth/protected-resource.ts';

/** Groups of one person that are read at most, and the longest name of one in characters. */
const GROUPS_MAX = 200;
export const GROUP_CHARS_MAX = 256;

/** How an issuer says that some claims of a token are elsewhere, such as the groups of a person who has too many. */
const ELSEWHERE = '_claim_names';

type Mapping = Pick<ProviderMapping, 'scopes' | 'groups'>;

/** What an issuer says of a person. */
export interface Vouched {
  readonly scopes: readonly string[];
  readonly groups: readonly string[];
}

/**
 * The groups that the claim of a verified token lists. INVARIANT (unknown is nothing): a claim that is no list of texts
 * within the bounds, or of a token with claims elsewhere, gives no groups.
 */
export function groupsOf(
  claims: Readonly<JWTPayload>,
  { groups_claim }: Pick<ProviderMapping, 'groups_claim'>,
): readonly string[] {
  if (groups_claim === null || !Object.hasOwn(claims, groups_claim) || Object.hasOwn(claims, ELSEWHERE)) return [];
  const value = claims[groups_claim];
  return Array.isArray(value) && value.length <= GROUPS_MAX && value.every(isGroup) ? value : [];
}

const isGroup = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= GROUP_CHARS_MAX;

/** The scopes and groups among these that the registration maps to a role. */
export const mappedOf = ({ scopes, groups }: Vouched, mapping: Mapping): Vouched => ({
  scopes: [...new Set(mapping.scopes.map(({ scope }) => scope).filter((scope) => scopes.includes(scope)))],
  groups: [...new Set(mapping.groups.map(({ group }) => group).filter((group) => groups.includes(group)))],
});

/** The roles that scopes and groups of the issuer give, and the member's own. */
export const rolesOf = ({ scopes, groups }: Vouched, mapping: Mapping, own: Role | null = null): ReadonlySet<Role> =>
  new Set([
    ...mapping.scopes.filter(({ scope }) => scopes.includes(scope)).map(({ role }) => role),
    ...mapping.groups.filter(({ group }) => groups.includes(group)).map(({ role }) => role),
    ...(own === null ? [] : [own]),
  ]);

/** The role with the fewest rights that is given and needed. @param needed null: any */
export const leastRoleOf = (given: ReadonlySet<Role>, needed: readonly Role[] | null): Role | undefined =>
  LEAST_FIRST.find((each) => given.has(each) && (needed === null || needed.includes(each)));
