-- Begins the erasure of what a tenant has kept for longer than its `payload_days`. p_erasure: the id of the new
-- erasure. Returns whether one began. kernel.erase_batch then erases the calls, and the orchestrator the texts of
-- sessions.
--
-- One begins where a call that is over is past that age. Where none is, one begins once a day for the texts, since a
-- conversation may hold no call; but not for a tenant that is itself younger than that age. None begins where another
-- transaction is deciding the same, or where an earlier erasure of this kind still runs.
--
-- Calls before `tenant.erased_until` were looked at before, but for those that hadn't ended: these keep the mark before
-- them (kernel.note_retained).
CREATE OR REPLACE FUNCTION kernel.begin_retention(p_tenant text, p_erasure text) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  n tenant;
  v_until bigint;
  v_first bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  -- One transaction at a time decides. The tenant's row isn't locked, since admissions and limits use it.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('writ.retention.' || p_tenant, 0)) THEN RETURN false; END IF;
  SELECT * INTO n FROM tenant t WHERE t.tenant_id = p_tenant AND t.payload_days IS NOT NULL;
  IF NOT FOUND OR EXISTS (SELECT 1 FROM erasure x WHERE x.tenant_id = p_tenant AND x.state = 'running' AND x.requested_by = 'kernel' AND x.selector = 'before') THEN RETURN false; END IF;
  v_until := now_ms() - n.payload_days * 86400000::bigint;
  SELECT o.created_at INTO v_first FROM operation o WHERE o.tenant_id = p_tenant AND o.created_at >= n.erased_until AND o.created_at < v_until AND is_over(o) AND o.erased IS NULL
    ORDER BY o.created_at, o.operation_id LIMIT 1;
  IF v_first IS NULL AND EXISTS (SELECT 1 FROM erasure x WHERE x.tenant_id = p_tenant AND x.requested_by = 'kernel' AND x.selector = 'before' AND x.created_at > now_ms() - 86400000) THEN RETURN false; END IF;
  -- A tenant that is younger than that age has nothing to erase.
  IF v_first IS NULL AND n.created_at >= v_until THEN RETURN false; END IF;
  INSERT INTO erasure (erasure_id, tenant_id, selector, until, reason_code, requested_by, passed_at)
    VALUES (p_erasure, p_tenant, 'before', v_until, 'retention', 'kernel', greatest(0, coalesce(v_first, v_until) - 1));
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION kernel.begin_retention(text, text) TO writ_kernel;
