-- Stores a version of a secret that was sealed for that number, and deletes the versions before it.
-- p: {name, version, sealed (base64), key_id, note, created_by}.
-- Raises WR001 `secret` where that version or a later one exists; the caller seals for the next number and tries again.
CREATE OR REPLACE FUNCTION kernel.put_secret(p_tenant text, p jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
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
GRANT EXECUTE ON FUNCTION kernel.put_secret(text, jsonb) TO writ_kernel;
