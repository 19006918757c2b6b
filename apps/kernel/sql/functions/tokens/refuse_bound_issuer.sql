-- Refuses a capability token that a credential makes which was exchanged: it uses the token that it is bound to, and
-- makes none. A trigger of kernel.token: it holds for every version of the kernel that runs. Raises WR012.
CREATE OR REPLACE FUNCTION kernel.refuse_bound_issuer() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM bound_key b WHERE b.tenant_id = new.tenant_id AND b.api_key_id = new.issuer) THEN
    RAISE EXCEPTION 'an exchanged credential makes no capability tokens' USING ERRCODE = 'WR012';
  END IF;
  RETURN new;
END $$;
GRANT EXECUTE ON FUNCTION kernel.refuse_bound_issuer() TO writ_kernel;
