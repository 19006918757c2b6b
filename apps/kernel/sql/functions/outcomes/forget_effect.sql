-- Removes what was staged for a call that leaves `held`, and abandons its preview if that has not ended.
-- An abandoned preview is fenced. Its reservation is released except for the time since it was redeemed, which counts
-- as used (kernel.spent_of).
-- Callers have locked the operation. They call this near their end, because it locks budgets: payload, preview, then
-- budgets in id order.
CREATE OR REPLACE FUNCTION kernel.forget_effect(p_operation text) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v     preview;
  t     bigint := now_ms();
  links text[];
BEGIN
  UPDATE payload SET staged = NULL WHERE operation_id = p_operation AND staged IS NOT NULL;
  SELECT * INTO v FROM preview WHERE operation_id = p_operation AND state IN ('waiting', 'dispatched', 'performing') FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE preview SET state = 'abandoned', used = spent_of(v, t), reserved = '{}', updated_at = t WHERE operation_id = p_operation;
  SELECT l.chain INTO links FROM operation o JOIN token l ON l.capability_token_id = o.capability_token_id WHERE o.operation_id = p_operation;
  PERFORM settle(links, v.reserved, spent_of(v, t));
END $$;
GRANT EXECUTE ON FUNCTION kernel.forget_effect(text) TO writ_kernel;
