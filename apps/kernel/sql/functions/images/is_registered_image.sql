-- Whether a digest is or was that of an image of the tenant, also of a removed one. Then its calls are bound to that
-- image, and a change of the deployment's image doesn't concern them.
CREATE OR REPLACE FUNCTION kernel.is_registered_image(p_tenant text, p_digest text) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN EXISTS (SELECT FROM image i WHERE i.tenant_id = p_tenant AND i.image_digest = p_digest);
END $$;
GRANT EXECUTE ON FUNCTION kernel.is_registered_image(text, text) TO writ_kernel;
