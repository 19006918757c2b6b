// SPDX-License-Identifier: Apache-2.0

/** What the address of the tree says. */
export interface TokensSearch {
  readonly agent_id?: string;
  /** whether revoked and expired tokens are shown, too */
  readonly ended?: true;
}

/** The members of an address that the tree knows; others, and wrong values, are left out. */
export const readTokensSearch = ({ agent_id, ended }: Readonly<Record<string, unknown>>): TokensSearch => ({
  ...(typeof agent_id === 'string' && agent_id !== '' ? { agent_id } : {}),
  ...(ended === true ? { ended: true as const } : {}),
});
