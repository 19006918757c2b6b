-- The tenant's secrets as people manage them: one value a name, the newest. What it replaces goes with it, and so does what is removed.

GRANT DELETE ON kernel.secret TO writ_kernel;

-- Stores a version that was sealed for that number and takes out the ones before; WR001 where another took the number meanwhile. p: name, version, sealed (base64),
-- key_id, note, created_by.
CREATE OR REPLACE FUNCTION kernel.put_secret(p_tenant text, p jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE n text := p->>'name';
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  INSERT INTO secret (tenant_id, name, version, sealed, key_id, note, created_by)
  SELECT p_tenant, s.name, s.version, decode(s.sealed, 'base64'), s.key_id, s.note, s.created_by
  FROM jsonb_to_record(p) AS s(name text, version integer, sealed text, key_id text, note text, created_by text)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND OR EXISTS (SELECT 1 FROM secret s WHERE s.tenant_id = p_tenant AND s.name = n AND s.version > (p->>'version')::integer) THEN PERFORM decide_again('secret'); END IF;
  DELETE FROM secret s WHERE s.tenant_id = p_tenant AND s.name = n AND s.version < (p->>'version')::integer;
END $$;

-- Which of the names are there for a call: given to its agent's session, or the tenant's.
CREATE FUNCTION kernel.secrets_known(p_tenant text, p_agent text, p_session text, p_names text[]) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(n.name), '[]') FROM unnest(p_names) AS n(name) WHERE value_known(p_tenant, p_agent, p_session, n.name, true));
END $$;

GRANT EXECUTE ON FUNCTION kernel.secrets_known TO writ_kernel;
