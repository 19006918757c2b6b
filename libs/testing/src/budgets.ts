// SPDX-License-Identifier: Apache-2.0

/**
 * Accounts that don't agree with the operations below their token: none, at any moment. Reserved is what calls that
 * have not ended hold, used is what the ended ones settled, and both together never exceed the bound; of `llm_tokens`
 * it is what runs hold and settled, and what was used may pass the bound. To be run as the database's owner; one
 * statement sees one moment.
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
