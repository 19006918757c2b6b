// SPDX-License-Identifier: Apache-2.0
import type { Budgets, CapabilityToken, TokenUse } from '@writ/contract';
import { tokenOf, type TokenRow } from '../../foundation/rows/token-row.ts';
import { plainRow, type Rows } from '../../foundation/tenancy/index.ts';

/** A token as callers see it. */
export type TokenView = CapabilityToken & TokenUse;

/** A token's row as the query builder reads it. */
export type StoredToken = NonNullable<Awaited<ReturnType<Rows['token']['findFirst']>>>;
type StoredBudget = Awaited<ReturnType<Rows['budget']['findMany']>>[number];

/** The token of the row. Its grant was parsed when it was issued. */
export const storedToken = (row: StoredToken): CapabilityToken => tokenOf(plainRow(row) as unknown as TokenRow);

/** The views of tokens, in two queries for any number of tokens and any length of their chains. */
export async function tokenViews(rows: Rows, tokens: readonly StoredToken[]): Promise<TokenView[]> {
  const linked = [...new Set(tokens.flatMap((token) => token.chain))];
  const accounts = await rows.budget.findMany({ where: { capability_token_id: { in: linked } } });
  const revoked = new Set(
    (
      await rows.token.findMany({
        where: { capability_token_id: { in: linked }, revoked_at: { not: null } },
        select: { capability_token_id: true },
      })
    ).map((token) => token.capability_token_id),
  );
  return tokens.map((token) => ({
    ...storedToken(token),
    ...amountsOf(token, accounts),
    chain: token.chain,
    revoked: token.chain.some((id) => revoked.has(id)),
  }));
}

function amountsOf(
  token: StoredToken,
  accounts: readonly StoredBudget[],
): Pick<TokenUse, 'used' | 'reserved' | 'left'> {
  const own = accounts.filter((account) => account.capability_token_id === token.capability_token_id);
  return {
    used: amounts(own, ({ used }) => used),
    reserved: amounts(own, ({ reserved }) => reserved),
    // The usage of models may exceed the bound.
    left: amounts(
      accounts.filter((account) => token.chain.includes(account.capability_token_id)),
      ({ bound, reserved, used }) => (bound > reserved + used ? bound - reserved - used : 0n),
    ),
  };
}

/** The least amount of each dimension. */
function amounts(accounts: readonly StoredBudget[], amountOf: (account: StoredBudget) => bigint): Budgets {
  const least = new Map<string, number>();
  for (const account of accounts)
    least.set(account.dimension, Math.min(least.get(account.dimension) ?? Infinity, Number(amountOf(account))));
  return Object.fromEntries(least);
}
