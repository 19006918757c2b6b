-- Applies what a call does to another agent of its tenant, with the records of that, in the transaction that commits
-- the call (kernel.apply_changes).
-- p_change is one of these; each record is an element that kernel.post_records takes:
--   {change: 'freeze', agent_id, freeze: {freeze_id, reason, expires_at}, record}
--   {change: 'lift', agent_id, freeze_id, record}
--   {change: 'cancel', agent_id, calls: [{operation_id, record}]}: marks those that still wait or run. A marked call
--     never commits and begins no external effect; the caller ends it afterwards.
--
-- INVARIANT (own freezes alone): an agent lifts a freeze that it placed itself, and no other. INVARIANT (not itself):
-- no agent changes itself.
--
-- Raises WR009 where the agent is not in the state that the call changes.
--
-- Locks: the caller holds the tenant's rules exclusively (kernel.lock_rules); then the calls, by id.
CREATE OR REPLACE FUNCTION kernel.change_agent(o kernel.operation, p_change jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t bigint := now_ms();
  c jsonb;
BEGIN
  IF p_change ->> 'agent_id' = o.agent_id OR NOT EXISTS (
    SELECT FROM agent a WHERE a.tenant_id = o.tenant_id AND a.agent_id = p_change ->> 'agent_id') THEN
    RAISE EXCEPTION 'the agent cannot be changed by this one' USING ERRCODE = 'WR009';
  END IF;
  CASE p_change ->> 'change'
    WHEN 'freeze' THEN
      INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by, expires_at)
      SELECT x.freeze_id, o.tenant_id, 'agent', p_change ->> 'agent_id', x.reason, o.agent_id, x.expires_at
      FROM jsonb_to_record(p_change -> 'freeze') AS x(freeze_id text, reason text, expires_at bigint)
      WHERE NOT EXISTS (
        SELECT FROM kernel.freeze f
        WHERE f.tenant_id = o.tenant_id AND f.scope = 'agent' AND f.subject = p_change ->> 'agent_id' AND f.placed_by = o.agent_id
          AND f.lifted_at IS NULL AND coalesce(f.expires_at > t, true));
      IF NOT FOUND THEN RAISE EXCEPTION 'the agent is frozen already' USING ERRCODE = 'WR009'; END IF;
      PERFORM post_records(o.tenant_id, jsonb_build_array(p_change -> 'record'));
    WHEN 'lift' THEN
      UPDATE kernel.freeze f SET lifted_at = t, lifted_by = o.agent_id
      WHERE f.freeze_id = p_change ->> 'freeze_id' AND f.tenant_id = o.tenant_id AND f.scope = 'agent' AND f.subject = p_change ->> 'agent_id'
        AND f.placed_by = o.agent_id AND f.lifted_at IS NULL AND coalesce(f.expires_at > t, true);
      IF NOT FOUND THEN RAISE EXCEPTION 'no freeze of the call''s agent stands' USING ERRCODE = 'WR009'; END IF;
      PERFORM post_records(o.tenant_id, jsonb_build_array(p_change -> 'record'));
    WHEN 'cancel' THEN
      FOR c IN SELECT x FROM jsonb_array_elements(p_change -> 'calls') x ORDER BY x ->> 'operation_id' LOOP
        UPDATE operation x SET cancel_requested = true, updated_at = t
        WHERE x.operation_id = c ->> 'operation_id' AND x.tenant_id = o.tenant_id AND x.agent_id = p_change ->> 'agent_id'
          AND x.state IN ('admitted', 'dispatched', 'performing', 'performed') AND NOT x.cancel_requested;
        IF FOUND THEN PERFORM post_records(o.tenant_id, jsonb_build_array(c -> 'record')); END IF;
      END LOOP;
  END CASE;
END $$;
GRANT EXECUTE ON FUNCTION kernel.change_agent(kernel.operation, jsonb) TO writ_kernel;
