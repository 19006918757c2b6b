-- Returns name, settings and digest of an audio device, and keeps it from being changed or removed until the transaction
-- ends; null where there is none. Uploads of one device don't wait for each other.
CREATE OR REPLACE FUNCTION kernel.lock_audio_device(p_tenant text, p_resource text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE found jsonb;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT jsonb_build_object('name', r.name, 'settings', r.settings, 'digest', r.digest) INTO found FROM resource r
    WHERE r.resource_id = p_resource AND r.tenant_id = p_tenant AND r.kind = 'audio_device' AND r.removed_at IS NULL
    FOR SHARE;
  RETURN found;
END $$;
GRANT EXECUTE ON FUNCTION kernel.lock_audio_device(text, text) TO writ_kernel;
