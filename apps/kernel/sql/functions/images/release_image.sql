-- Gives back an executor's claim on an image and stores its log. Another executor may take it after p_pause_ms. Returns
-- false where the executor hasn't it any more.
CREATE OR REPLACE FUNCTION kernel.release_image(p_tenant text, p_image text, p_executor text, p_claim integer, p_pause_ms integer, p_log text)
RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE image i SET state = 'waiting', claim_until = now_ms() + p_pause_ms, log = p_log, updated_at = now_ms()
    WHERE i.image_id = p_image AND i.removed_at IS NULL AND i.state = 'building' AND i.executor_id = p_executor AND i.claim = p_claim;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.release_image(text, text, text, integer, integer, text) TO writ_kernel;
