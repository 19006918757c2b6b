-- Revokes what was exchanged for an API key that is revoked (kernel.revoke_exchanged). A trigger of kernel.revoked_key:
-- it holds for every version of the kernel that runs. The sweep of any kernel ends the calls that it marks.
CREATE OR REPLACE FUNCTION kernel.end_exchanged() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM bound_key b WHERE b.tenant_id = new.tenant_id AND b.exchanged_by = new.api_key_id)
    -- The end of a tenant marks all of its calls at once, and admits none.
    AND NOT EXISTS (SELECT FROM tenant n WHERE n.tenant_id = new.tenant_id AND n.closed_at IS NOT NULL)
  THEN
    PERFORM revoke_exchanged(new.tenant_id, new.api_key_id, new.revoked_by);
  END IF;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.end_exchanged() TO writ_kernel;
