-- Credentials that were exchanged, and the capability token that each may use (ADR 0152).
CREATE TABLE kernel.bound_key (
  tenant_id           text NOT NULL,
  api_key_id          text NOT NULL,
  capability_token_id text NOT NULL REFERENCES kernel.token,
  exchanged_by        text NOT NULL,
  created_at          bigint DEFAULT kernel.now_ms() NOT NULL,
  PRIMARY KEY (tenant_id, api_key_id)
);
CREATE INDEX bound_key_exchanged ON kernel.bound_key (tenant_id, exchanged_by);
ALTER TABLE kernel.bound_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.bound_key FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.bound_key TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.bound_key TO writ_kernel;
-- Tokens of such credentials are no choice for other calls of the agent.
ALTER TABLE kernel.token ADD COLUMN exchanged boolean DEFAULT false NOT NULL;
CREATE INDEX token_of_calls ON kernel.token (tenant_id, agent_id, ((grant_json ->> 'expires_at')::bigint))
  WHERE revoked_at IS NULL AND session_approval IS NULL AND spawned_by IS NULL AND job IS NULL AND NOT exchanged;

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

CREATE TRIGGER operation_of_bound_key BEFORE INSERT ON kernel.operation
  FOR EACH ROW WHEN (new.state <> 'refused')
  EXECUTE FUNCTION kernel.refuse_unbound_call();
CREATE TRIGGER token_of_bound_key BEFORE INSERT ON kernel.token
  FOR EACH ROW EXECUTE FUNCTION kernel.refuse_bound_issuer();
CREATE TRIGGER key_revoked AFTER INSERT ON kernel.revoked_key
  FOR EACH ROW EXECUTE FUNCTION kernel.end_exchanged();
