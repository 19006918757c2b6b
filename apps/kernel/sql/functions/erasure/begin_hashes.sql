-- Begins the erasure of a tenant's calls of which only hashes stay, and that ended more than p_after_ms ago. p_erasure:
-- the id of the new erasure. Returns whether one began. kernel.erase_batch then erases the calls. Texts of sessions
-- aren't part of it.
--
-- None begins where an earlier one runs or began less than p_after_ms ago, or where another transaction is deciding the
-- same.
CREATE OR REPLACE FUNCTION kernel.begin_hashes(p_tenant text, p_erasure text, p_after_ms bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  IF NOT pg_try_advisory_xact_lock(hashtextextended('writ.hashes.' || p_tenant, 0)) THEN RETURN false; END IF;
  IF EXISTS (SELECT 1 FROM erasure x WHERE x.tenant_id = p_tenant AND x.selector = 'ended' AND (x.state = 'running' OR x.created_at > now_ms() - p_after_ms)) THEN RETURN false; END IF;
  INSERT INTO erasure (erasure_id, tenant_id, selector, until, reason_code, requested_by)
    VALUES (p_erasure, p_tenant, 'ended', now_ms() - p_after_ms, 'retention', 'kernel');
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION kernel.begin_hashes(text, text, bigint) TO writ_kernel;
