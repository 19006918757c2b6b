-- Asserts that the tenant's rules are still those that a decision was made under. The caller holds them
-- (kernel.hold_rules), so they stay so until COMMIT.
-- p has these members:
--   session: the session's id, or the token's id for a call without one
--   workspace: its id
--   needs: the counts that the policy set needs, as kernel.session_history reads them; null for none
--   seen: what kernel.rules_in_force returned when the decision was made
--   past: {operation, asked, seen}, only for a call that destroys something: how many destructive calls it counted,
--     with `asked` as kernel.session_past reads it
--
-- Raises WR001 `rules` or `past`; the caller reads the facts and decides again.
-- Lock: an exclusive advisory lock per session, where a decision counts the session's calls. Of two calls that may each
-- be the last one allowed, the second is decided again.
CREATE OR REPLACE FUNCTION kernel.assert_rules(p_tenant text, p jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF jsonb_typeof(p -> 'needs') = 'array' OR p ? 'past' THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('writ.session.' || p_tenant || '.' || (p ->> 'session'), 0));
  END IF;
  IF rules_in_force(p_tenant, p ->> 'session', p ->> 'workspace', p -> 'needs') IS DISTINCT FROM p -> 'seen' THEN PERFORM decide_again('rules'); END IF;
  IF p ? 'past' AND session_past(p_tenant, p ->> 'session', p #>> '{past,operation}', p #> '{past,asked}') -> 'destructive_calls' IS DISTINCT FROM p #> '{past,seen}' THEN
    PERFORM decide_again('past');
  END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.assert_rules(text, jsonb) TO writ_kernel;
