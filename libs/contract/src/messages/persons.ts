// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { ID_KINDS } from '../ids.ts';

/**
 * The person of an API key, for counting approvals: all keys with the same name are one person. A key without a name is
 * its own person, identified by its id, so that no name may look like an id. Nor may it look like a pseudonym, which is
 * the name of a person whom only an OAuth subject identifies, and no name begins as a service account's id does. Lower
 * case only: `Ann` and `ann` would be two persons.
 */
export const PersonName = Type.String({
  pattern: `^(?!${ID_KINDS.apiKey}_|${ID_KINDS.member}_|${ID_KINDS.person}_[0-7][0-9a-hjkmnp-tv-z]{25}$)[a-z0-9][a-z0-9._@+-]{0,63}$`,
  description: 'who answers for the key: a name or an address; all keys with it are one person',
});
/** A name, or the id of a key that has none. */
export const Principal = Type.String({
  pattern: '^[a-z0-9][a-z0-9._@+-]{0,63}$',
  description: 'a person: a name, or the id of a key without one',
});

/** The person of a key. */
export const principalOf = ({
  principal,
  api_key_id,
}: {
  readonly principal?: string | null;
  readonly api_key_id: string;
}): string => principal ?? api_key_id;

/**
 * Whether a principal is a service account, which is no person: the id of the member is its name. INVARIANT (a machine
 * never votes): it decides about no call, and lends no right to.
 */
export const isServiceAccount = (principal: string): boolean => principal.startsWith(`${ID_KINDS.member}_`);

/** The person of a caller, to spread into a call that is made on the caller's behalf. */
export const personIn = ({ person }: { readonly person?: string }): { readonly person?: string } =>
  person === undefined ? {} : { person };
