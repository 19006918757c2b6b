// SPDX-License-Identifier: Apache-2.0
import { textsOf, type AddressMembers } from '../../parts/address.ts';

/** What the address of the tree says. */
export interface TokensSearch {
  readonly agent_id?: string;
  /** whether revoked and expired tokens are shown, too */
  readonly ended?: true;
}

/** The members of an address that the tree knows; others, and wrong values, are left out. */
export const readTokensSearch = (given: AddressMembers): TokensSearch => ({
  ...textsOf(given, 'agent_id'),
  ...(given['ended'] === true ? { ended: true as const } : {}),
});
