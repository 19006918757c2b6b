// SPDX-License-Identifier: Apache-2.0

/**
 * Selects budget accounts that contradict the operations of their token or of its children; there must be none at any
 * moment. `reserved` is the sum for calls that have not ended, `used` the sum for those that have. Both together never
 * exceed the bound. For `llm_tokens`, runs reserve and settle, and `used` may exceed the bound.
 *
 * Run it as the database's owner. One statement sees one snapshot.
 */
export const UNBALANCED_BUDGETS = `
  SELECT b.capability_token_id, b.dimension, b.bound::int8, b.reserved::int8, b.used::int8, said.held, said.spent
  FROM kernel.budget b CROSS JOIN LATERAL (
    SELECT coalesce(sum(x.held), 0)::int8 AS held, coalesce(sum(x.spent), 0)::int8 AS spent FROM (
      SELECT (o.reserved ->> b.dimension)::bigint AS held, (o.budget_delta ->> b.dimension)::bigint AS spent
      FROM kernel.token t JOIN kernel.operation o ON o.capability_token_id = t.capability_token_id WHERE t.chain @> ARRAY[b.capability_token_id]
      UNION ALL
      SELECT d.reserved, d.settled FROM kernel.token t JOIN kernel.run_draw d ON d.capability_token_id = t.capability_token_id
      WHERE b.dimension = 'llm_tokens' AND t.chain @> ARRAY[b.capability_token_id]) x) said
  WHERE b.reserved <> said.held OR b.used <> said.spent OR (b.dimension <> 'llm_tokens' AND b.reserved + b.used > b.bound)`;
