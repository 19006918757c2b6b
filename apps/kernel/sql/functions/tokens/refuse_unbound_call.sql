-- Refuses a call of a credential that was exchanged, unless its capability token is the one that the credential is
-- bound to, or derives from it. A trigger of kernel.operation: it holds for every version of the kernel that runs.
-- Refused calls are recorded as they are. Raises WR012.
CREATE OR REPLACE FUNCTION kernel.refuse_unbound_call() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_bound text;
BEGIN
  SELECT b.capability_token_id INTO v_bound FROM bound_key b
    WHERE b.tenant_id = new.tenant_id AND b.api_key_id = new.proposed_by;
  IF v_bound IS NOT NULL AND NOT EXISTS (
    SELECT FROM token t WHERE t.capability_token_id = new.capability_token_id AND v_bound = ANY (t.chain))
  THEN
    RAISE EXCEPTION 'the credential is bound to another capability token' USING ERRCODE = 'WR012';
  END IF;
  RETURN new;
END $$;
GRANT EXECUTE ON FUNCTION kernel.refuse_unbound_call() TO writ_kernel;
