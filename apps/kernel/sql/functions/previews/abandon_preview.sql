-- Abandons a preview that has not ended, because a person decides about the call without waiting for it.
-- A preview that ended meanwhile stays: its approval is then one of the staged effect, which must not be lost.
-- The kernel calls it in its own transaction before it re-evaluates the call (HeldReevaluation). What the preview
-- had reserved may be all that is left for the call.
-- Locks: operation, then those of kernel.forget_effect.
CREATE OR REPLACE FUNCTION kernel.abandon_preview(p_tenant text, p_operation text) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  PERFORM 1 FROM operation WHERE operation_id = p_operation FOR UPDATE;
  PERFORM forget_effect(operation_id) FROM preview WHERE operation_id = p_operation AND state IN ('waiting', 'dispatched', 'performing');
END $$;
GRANT EXECUTE ON FUNCTION kernel.abandon_preview(text, text) TO writ_kernel;
