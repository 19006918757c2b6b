-- Gives up the preview of a call that goes on without it, unless it has ended. Its own transaction: what it had reserved is there for the admission that follows.
-- Whoever asks saw a preview under way, which may have ended since: the approval is one of its effect then, and that effect stays.
CREATE OR REPLACE FUNCTION kernel.abandon_preview(p_tenant text, p_operation text) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  PERFORM 1 FROM operation WHERE operation_id = p_operation FOR UPDATE;
  PERFORM forget_effect(operation_id) FROM preview WHERE operation_id = p_operation AND state IN ('waiting', 'dispatched', 'performing');
END $$;
