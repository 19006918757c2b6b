-- Closes a tenant for ever, and ends its work. Returns {is_new, tenant: {name, created_at, closed_at, closed_by,
-- close_reason}, operations: [id]}, or null where there is no such tenant. `operations` are the calls that had not ended,
-- marked to end (kernel.mark_calls_of_tenant). A tenant that was closed before stays as it is, with `is_new` false.
--
-- p: {closed_by, reason, freeze_id}.
--
-- INVARIANT (wholly before or wholly after): each call of the tenant is decided before this, and marked here, or after it,
-- and refused. A freeze that nobody can lift (kernel.keep_closed) is what refuses: every version of the kernel asserts
-- freezes with each decision, redemption and commit. The keys of the marked calls are revoked, so that the sweep of any
-- kernel ends those calls.
--
-- Locks: the rules of the tenant, exclusively (kernel.change_rules), then the tenant's row and the calls.
CREATE OR REPLACE FUNCTION kernel.close_tenant(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t      bigint;
  n      tenant;
  v_ids  text[] := '{}';
  v_keys text[] := '{}';
  is_new boolean;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), change_rules(p_tenant);
  t := now_ms();
  UPDATE tenant x SET closed_at = t, closed_by = p ->> 'closed_by', close_reason = p ->> 'reason', limits_at = t
    WHERE x.tenant_id = p_tenant AND x.closed_at IS NULL RETURNING * INTO n;
  is_new := FOUND;
  IF is_new THEN
    INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by)
    VALUES (p ->> 'freeze_id', p_tenant, 'tenant', p_tenant, 'the tenant is closed', p ->> 'closed_by');
    SELECT coalesce(array_agg(m.operation_id), '{}'), array_agg(DISTINCT m.proposed_by) FILTER (WHERE m.proposed_by IS NOT NULL)
      INTO v_ids, v_keys FROM mark_calls_of_tenant(p_tenant) m;
    INSERT INTO revoked_key (tenant_id, api_key_id, revoked_at, revoked_by)
      SELECT p_tenant, k.api_key_id, t, p ->> 'closed_by' FROM unnest(v_keys) AS k (api_key_id)
      ON CONFLICT DO NOTHING;
  ELSE
    SELECT * INTO n FROM tenant x WHERE x.tenant_id = p_tenant;
    IF NOT FOUND THEN RETURN NULL; END IF;
  END IF;
  RETURN jsonb_build_object('is_new', is_new, 'operations', to_jsonb(v_ids), 'tenant', jsonb_build_object(
    'name', n.name, 'created_at', n.created_at, 'closed_at', n.closed_at, 'closed_by', n.closed_by, 'close_reason', n.close_reason));
END $$;
GRANT EXECUTE ON FUNCTION kernel.close_tenant(text, jsonb) TO writ_kernel;
