-- Deletes the grants of a resource that was removed. Trigger of kernel.resource.
CREATE OR REPLACE FUNCTION kernel.forget_grants() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  DELETE FROM resource_grant g WHERE g.tenant_id = new.tenant_id AND g.resource_id = new.resource_id;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.forget_grants() TO writ_kernel;
