-- Decides a pending approval. The caller has set the tenant and locked the operation; it also holds the rules where a
-- token comes along.
--
-- p_approval holds:
--   approval_id, state, decided_by, comment
--   demands        what the re-evaluation demands of groups; absent or null: what was demanded stays
--   superseded_by  the operation that replaces the call, or null
--   vote           the vote that decides, as kernel.put_vote takes it; null where the kernel itself decides
--   token          the token of a session grant, as kernel.put_session_token takes it; or absent
--   value          the value that a person gave, as kernel.put_value takes it; or absent
--
-- Raises WR001 `approval` where the approval isn't pending any more, those of kernel.put_vote, and `secret` of
-- kernel.put_secret. The caller reads the held call and decides again.
--
-- Where it approves, the trigger kernel.assert_groups_approved raises WR001 `groups` at the end of the transaction.
--
-- It doesn't look at `expires_at`, since it also closes an approval that has expired. The caller has checked it.
CREATE OR REPLACE FUNCTION kernel.close_approval(p_approval jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  UPDATE approval a SET state = p_approval->>'state', decided_at = now_ms(), decided_by = p_approval->>'decided_by', comment = p_approval->>'comment',
    superseded_by = p_approval->>'superseded_by', session_token_id = p_approval#>>'{token,capability_token_id}',
    demands = coalesce(nullif(p_approval->'demands', 'null'), a.demands)
  WHERE a.approval_id = p_approval->>'approval_id' AND a.state = 'pending';
  IF NOT FOUND THEN PERFORM decide_again('approval'); END IF;
  IF jsonb_typeof(p_approval->'token') = 'object' THEN PERFORM put_session_token(tenant(), p_approval->'token'); END IF;
  IF jsonb_typeof(p_approval->'value') = 'object' THEN PERFORM put_value(tenant(), p_approval->'value'); END IF;
  IF jsonb_typeof(p_approval->'vote') = 'object' THEN PERFORM put_vote(tenant(), p_approval->'vote'); END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.close_approval(jsonb) TO writ_kernel;
