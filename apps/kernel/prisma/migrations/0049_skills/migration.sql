-- Skills: folders of guidance that administrators upload and agents read by calls. A row is a version, written once; it goes when the skill does, or when too many came after it.

-- contents: RFC 8785 bytes that name the skill, what it is for and each file with the hash of its content; the digest is over them
-- seq: the newest version of a name has the highest
CREATE TABLE kernel.skill (
  tenant_id  text NOT NULL REFERENCES kernel.tenant,
  name       text NOT NULL CHECK (name ~ '^[a-z0-9-]{1,64}$'),
  digest     text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  seq        bigint NOT NULL,
  contents   bytea NOT NULL,
  bytes      bigint NOT NULL CHECK (bytes >= 0),
  created_by text NOT NULL,
  created_at bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, name, digest),
  UNIQUE (tenant_id, name, seq)
);
ALTER TABLE kernel.skill ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.skill FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.skill TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT, DELETE ON kernel.skill TO writ_kernel;

-- What a call that reads a skill finds: the newest version of that name, in base64 with its digest, or null; and all names that there are.
CREATE FUNCTION kernel.skill_for(p_tenant text, p_name text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN jsonb_build_object(
    'found', (SELECT jsonb_build_object('digest', digest, 'contents', translate(encode(contents, 'base64'), E'\n', '')) FROM skill WHERE tenant_id = p_tenant AND name = p_name ORDER BY seq DESC LIMIT 1),
    'names', (SELECT coalesce(jsonb_agg(name ORDER BY name), '[]') FROM (SELECT DISTINCT name FROM skill WHERE tenant_id = p_tenant) AS each));
END $$;
GRANT EXECUTE ON FUNCTION kernel.skill_for TO writ_kernel;
