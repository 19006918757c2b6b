-- Turns a reservation into use, in every budget of a token chain.
-- p_chain: ids of tokens. p_reserved, p_used: amounts by dimension; a dimension that p_used lacks was not used.
-- Never more is counted as used than was reserved, so that a report cannot exceed a budget.
-- Budget rows are updated one by one in id order: one UPDATE of several locks them in any order and can deadlock.
-- Callers call this last.
CREATE OR REPLACE FUNCTION kernel.settle(p_chain text[], p_reserved jsonb, p_used jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  row record;
BEGIN
  IF p_reserved = '{}' THEN RETURN; END IF;
  FOR row IN
    SELECT b.capability_token_id, b.dimension, r.value::bigint AS reserved, least(r.value::bigint, coalesce((p_used ->> b.dimension)::bigint, 0)) AS used
    FROM jsonb_each_text(p_reserved) r JOIN budget b ON b.dimension = r.key
    WHERE b.capability_token_id = ANY (p_chain)
    ORDER BY b.capability_token_id, b.dimension
  LOOP
    UPDATE budget SET reserved = budget.reserved - row.reserved, used = budget.used + row.used
    WHERE capability_token_id = row.capability_token_id AND dimension = row.dimension;
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION kernel.settle(text[], jsonb, jsonb) TO writ_kernel;
