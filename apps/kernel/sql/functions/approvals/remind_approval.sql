-- Writes the next reminder about a pending approval as a notice (`approval.reminder`). Returns the row of the operation;
-- null where the reminder isn't due by this database's clock, was written already, or the approval isn't pending any
-- more: then nothing was written. p_reminded: how many were written before.
--
-- Locks: the operation, then the approval, as a vote does.
CREATE OR REPLACE FUNCTION kernel.remind_approval(p_tenant text, p_approval text, p_reminded integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT o.* INTO op FROM operation o JOIN approval a ON a.operation_id = o.operation_id
    WHERE a.approval_id = p_approval AND o.state = 'held' FOR UPDATE OF o;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE approval a SET reminded = a.reminded + 1
  WHERE a.approval_id = p_approval AND a.state = 'pending' AND a.reminded = p_reminded
    AND a.expires_at > now_ms() AND a.expires_at - a.reminders[a.reminded + 1] <= now_ms();
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM note_waiting('approval.reminder', p_approval);
  RETURN to_jsonb(op);
END $$;
GRANT EXECUTE ON FUNCTION kernel.remind_approval(text, text, integer) TO writ_kernel;
