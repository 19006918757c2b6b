-- Renews an executor's claim on an image and stores its log. Returns false where the executor hasn't it any more: it was
-- removed, is ready, or another executor has it.
CREATE OR REPLACE FUNCTION kernel.renew_image(p_tenant text, p_image text, p_executor text, p_claim integer, p_lease_ms integer, p_log text)
RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE image i SET claim_until = now_ms() + p_lease_ms, log = p_log, updated_at = now_ms()
    WHERE i.image_id = p_image AND i.removed_at IS NULL AND i.state = 'building' AND i.executor_id = p_executor AND i.claim = p_claim;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.renew_image(text, text, text, integer, integer, text) TO writ_kernel;
