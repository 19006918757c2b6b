-- Asserts that each token of a chain is neither revoked nor expired, and that the workspace's head is p_head, unless
-- p_head is null. It stays so until the transaction ends: the caller holds the rules (kernel.hold_rules), which a
-- revocation takes exclusively, and this function locks the workspace's row (FOR SHARE).
--
-- p_chain: an array of token ids.
--
-- Raises WR001 `token` or `workspace`; the caller reads the facts and decides again.
CREATE OR REPLACE FUNCTION kernel.assert_decided_on(p_chain jsonb, p_workspace text, p_head text) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v_token text;
BEGIN
  -- One by one: a chain is short, and each token is one look-up in the index.
  FOR v_token IN SELECT jsonb_array_elements_text(p_chain) LOOP
    PERFORM 1 FROM token t WHERE t.capability_token_id = v_token AND t.revoked_at IS NULL AND (t.grant_json ->> 'expires_at')::bigint > now_ms();
    IF NOT FOUND THEN PERFORM decide_again('token'); END IF;
  END LOOP;
  IF p_head IS NOT NULL THEN
    PERFORM 1 FROM workspace w WHERE w.workspace_id = p_workspace AND w.head_snapshot_id = p_head FOR SHARE;
    IF NOT FOUND THEN PERFORM decide_again('workspace'); END IF;
  END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.assert_decided_on(jsonb, text, text) TO writ_kernel;
