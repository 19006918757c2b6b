-- Adds use to budgets without a reservation: what an approved effect costs beyond what was settled when it was held.
-- p_spend: [{token, dimension, amount}].
-- Raises WR001 `budget` where a budget has too little left; the caller decides again and then sees that.
-- Budget rows are updated one by one in id order. Callers call this last.
CREATE OR REPLACE FUNCTION kernel.spend(p_spend jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM jsonb_to_recordset(p_spend) AS x(token text, dimension text, amount bigint) ORDER BY x.token, x.dimension LOOP
    UPDATE budget b SET used = b.used + r.amount
    WHERE b.capability_token_id = r.token AND b.dimension = r.dimension AND b.reserved + b.used + r.amount <= b.bound;
    IF NOT FOUND THEN PERFORM decide_again('budget'); END IF;
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION kernel.spend(jsonb) TO writ_kernel;
