-- Notes that the orchestrator has erased all texts of an erasure, and ends the erasure if its calls are done too.
-- Returns its row; null where the tenant has no such erasure. Safe to repeat.
CREATE OR REPLACE FUNCTION kernel.texts_gone(p_tenant text, p_erasure text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE e erasure;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE erasure x SET texts = 'gone' WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure AND x.texts IN ('ordered', 'told');
  PERFORM end_erasure(p_erasure);
  SELECT * INTO e FROM erasure x WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure;
  RETURN CASE WHEN FOUND THEN to_jsonb(e) END;
END $$;
GRANT EXECUTE ON FUNCTION kernel.texts_gone(text, text) TO writ_kernel;
