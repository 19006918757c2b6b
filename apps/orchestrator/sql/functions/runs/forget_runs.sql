-- Removes the runs of one open round of an erasure, with their events and the sessions of their sub-agents. Returns
-- nothing.
--
-- Only an erasure removes a run from a session's history. So the orchestrator has no right to delete runs. This
-- function runs as the owner and removes only ended runs that the round lists (orchestrator.erasure.run_ids), of the
-- tenant in writ.tenant_id. For a completed round it removes nothing. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.forget_runs(p_erasure text, p_round integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  DELETE FROM run r USING erasure e
  WHERE e.erasure_id = p_erasure AND e.round = p_round AND e.gone_at IS NULL AND e.tenant_id = current_setting('writ.tenant_id', true)
    AND r.run_id = ANY (e.run_ids) AND r.tenant_id = e.tenant_id AND r.state = 'ended'
$$;
GRANT EXECUTE ON FUNCTION orchestrator.forget_runs(text, integer) TO writ_orchestrator;
