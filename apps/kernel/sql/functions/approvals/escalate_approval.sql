-- Takes the next step of an approval's escalation: members of further groups may decide from now on. Nothing is decided,
-- and nobody who may decide loses that. Returns the row of the operation; null where the step isn't due by this
-- database's clock, was taken already, or the approval isn't pending any more: then nothing was written.
--
-- p holds:
--   operation_id, approval_id
--   escalated  how many steps were taken before
--   records    as kernel.post_records takes them
--
-- Locks: the operation, then the approval, as a vote does. So a vote is counted before the step or after it.
CREATE OR REPLACE FUNCTION kernel.escalate_approval(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO op FROM operation o WHERE o.operation_id = p ->> 'operation_id' AND o.state = 'held' FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE approval a SET
    escalated = a.escalated + 1,
    escalated_to = ARRAY(SELECT DISTINCT x FROM unnest(a.escalated_to
      || ARRAY(SELECT jsonb_array_elements_text(a.escalations -> a.escalated -> 'to'))) AS x ORDER BY x)
  WHERE a.approval_id = p ->> 'approval_id' AND a.operation_id = op.operation_id AND a.state = 'pending'
    AND a.escalated = (p ->> 'escalated')::integer AND a.expires_at > now_ms()
    AND a.created_at + (a.escalations -> a.escalated ->> 'after_ms')::bigint <= now_ms();
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM post_records(p_tenant, p -> 'records');
  PERFORM note_waiting('approval.escalated', p ->> 'approval_id');
  RETURN to_jsonb(op);
END $$;
GRANT EXECUTE ON FUNCTION kernel.escalate_approval(text, jsonb) TO writ_kernel;
