// SPDX-License-Identifier: Apache-2.0
import type { Role } from '../../../store/keys/roles.ts';
import type { ProviderMapping } from '../../../store/identities/identities.ts';
import { LEAST_FIRST } from '../oauth/protected-resource.ts';

/** The scopes among these that the registration maps to a role. */
export const mappedScopes = (
  scopes: readonly string[],
  { scopes: mapping }: Pick<ProviderMapping, 'scopes'>,
): string[] => [...new Set(mapping.map(({ scope }) => scope).filter((scope) => scopes.includes(scope)))];

/** The roles that scopes of the issuer give. */
export const rolesOf = (
  scopes: readonly string[],
  { scopes: mapping }: Pick<ProviderMapping, 'scopes'>,
): ReadonlySet<Role> => new Set(mapping.filter(({ scope }) => scopes.includes(scope)).map(({ role }) => role));

/** The role with the fewest rights that is given and needed. @param needed null: any */
export const leastRoleOf = (given: ReadonlySet<Role>, needed: readonly Role[] | null): Role | undefined =>
  LEAST_FIRST.find((each) => given.has(each) && (needed === null || needed.includes(each)));
