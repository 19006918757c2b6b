-- Requests the preview of a call that is being held: it runs once without committing, so that a person sees its effect.
-- p: {limits, reserved}. The caller, kernel.admit, adds the reservation to the budgets.
CREATE OR REPLACE FUNCTION kernel.begin_preview(o kernel.operation, p jsonb) RETURNS void
LANGUAGE sql SET search_path = kernel, pg_temp AS $$
  INSERT INTO preview (operation_id, tenant_id, lane, state, state_snapshot_id, action_digest, image_digest, limits, reserved)
  VALUES (o.operation_id, o.tenant_id, o.lane, 'waiting', o.state_snapshot_id, o.action_digest, o.image_digest, p->'limits', p->'reserved');
$$;
GRANT EXECUTE ON FUNCTION kernel.begin_preview(kernel.operation, jsonb) TO writ_kernel;
