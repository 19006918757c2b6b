-- Adds an effect that is about to commit to its series, and returns the effects before it, the earliest first.
-- A series is everything that one session, or all tokens under one issued token, did to a workspace within a window.
-- The kernel judges it as a whole, so that many small deletions count as the large one that they are.
--
-- p_session: the session, or the token's id where the call has none. p_root: the issued token at the root of the chain.
-- p_delta: hex SHA-256 of the stored delta. p_approved: whether a person approved exactly this effect.
-- Returns [{is_approved, delta}], delta as p_delta: effects that committed, and those of the current attempt of calls
-- that are about to. An effect that does not commit leaves the series by its operation's state.
--
-- Called in its own transaction before the effect is examined (EffectSeries), so that the row is durable.
-- Lock: an exclusive advisory lock per workspace. Of two effects at the same time the later one sees the earlier one.
CREATE OR REPLACE FUNCTION kernel.join_series(
  p_tenant text, p_workspace text, p_session text, p_root text, p_operation text, p_delta text, p_approved boolean,
  p_window_ms bigint
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  PERFORM pg_advisory_xact_lock(hashtextextended('effect_series/' || p_tenant || '/' || p_workspace, 0));
  -- A day is longer than the longest window (libs/effect/src/settings.ts).
  DELETE FROM series_effect l
    WHERE l.tenant_id = p_tenant AND l.workspace_id = p_workspace AND l.created_at < now_ms() - 86400000;
  DELETE FROM series_effect l WHERE l.operation_id = p_operation AND l.tenant_id = p_tenant;
  INSERT INTO series_effect
    (operation_id, tenant_id, session_id, workspace_id, root_token_id, pending_delta, attempt, is_approved)
    SELECT p_operation, p_tenant, p_session, p_workspace, p_root, p_delta, o.attempt, p_approved
      FROM operation o WHERE o.operation_id = p_operation;
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('is_approved', s.is_approved, 'delta', s.delta) ORDER BY s.seq), '[]')
    FROM (SELECT l.seq, l.is_approved,
        CASE WHEN o.tx_outcome = 'committed' THEN substr(o.commit_delta_id, 7) ELSE l.pending_delta END AS delta
      FROM series_effect l JOIN operation o ON o.operation_id = l.operation_id
      WHERE l.tenant_id = p_tenant AND l.workspace_id = p_workspace
        AND (l.session_id = p_session OR l.root_token_id = p_root)
        AND l.operation_id <> p_operation AND l.created_at > now_ms() - p_window_ms
        AND (o.tx_outcome = 'committed' OR o.state IN ('performing', 'performed') AND o.attempt = l.attempt)) s
    WHERE s.delta IS NOT NULL);
END $$;
GRANT EXECUTE ON FUNCTION kernel.join_series(text, text, text, text, text, text, boolean, bigint) TO writ_kernel;
