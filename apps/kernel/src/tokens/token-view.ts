// SPDX-License-Identifier: Apache-2.0
import type { Budgets, CapabilityToken } from '@writ/contract';
import { tokenOf, type TokenRow } from '../store/index.ts';
import { plainRow, type Rows } from '../tenancy/index.ts';

/** A token as callers see it: `used` is what was settled in each dimension that it bounds, `revoked` says that it or one above it was revoked. */
export type TokenView = CapabilityToken & { readonly used: Budgets; readonly revoked: boolean };

/** A token's row as the query builder reads it. */
export type StoredToken = NonNullable<Awaited<ReturnType<Rows['token']['findFirst']>>>;

/** The token that the row stores. Its grant is what was parsed when it was issued. */
export const storedToken = (row: StoredToken): CapabilityToken => tokenOf(plainRow(row) as unknown as TokenRow);

/** The views of tokens, in two queries however many they are. */
export async function tokenViews(rows: Rows, tokens: readonly StoredToken[]): Promise<TokenView[]> {
  const budgets = await rows.budget.findMany({ where: { capability_token_id: { in: tokens.map((token) => token.capability_token_id) } } });
  const above = [...new Set(tokens.flatMap((token) => token.chain))];
  const revoked = new Set((await rows.token.findMany({
    where: { capability_token_id: { in: above }, revoked_at: { not: null } }, select: { capability_token_id: true },
  })).map((token) => token.capability_token_id));
  return tokens.map((token) => ({
    ...storedToken(token),
    used: Object.fromEntries(budgets.filter((row) => row.capability_token_id === token.capability_token_id).map((row) => [row.dimension, Number(row.used)])),
    revoked: token.chain.some((id) => revoked.has(id)),
  }));
}
