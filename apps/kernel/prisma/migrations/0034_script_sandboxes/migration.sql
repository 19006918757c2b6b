-- Sandboxes of mk8.shell: what administrators register, under the signatures of registrars, whose private keys never come here.

-- A registrar's public key. retired_at: it signs nothing more, and what it signed stands; revoked_at: nothing that it signed stands.
CREATE TABLE kernel.registrar_key (
  tenant_id  text NOT NULL REFERENCES kernel.tenant,
  keyid      text NOT NULL CHECK (keyid ~ '^[A-Za-z0-9_-]{43}$'),
  public_key bytea NOT NULL CHECK (length(public_key) = 32),
  note       text,
  created_by text NOT NULL,
  created_at bigint NOT NULL DEFAULT kernel.now_ms(),
  retired_at bigint,
  revoked_at bigint,
  ended_by   text,
  PRIMARY KEY (tenant_id, keyid)
);

-- definition: RFC 8785 bytes, null once the sandbox was removed; statement: what was signed, with keyid and sig, null until somebody signs it as it is. The row of a removed
-- sandbox stays: signed_at only grows, so that nothing older than what stood is ever taken again.
CREATE TABLE kernel.sandbox (
  tenant_id         text NOT NULL REFERENCES kernel.tenant,
  name              text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  workspace_id      text NOT NULL REFERENCES kernel.workspace,
  definition        bytea,
  definition_digest text CHECK (definition_digest ~ '^[0-9a-f]{64}$'),
  statement         bytea,
  keyid             text,
  sig               bytea,
  signed_at         bigint NOT NULL DEFAULT 0,
  updated_by        text NOT NULL,
  created_at        bigint NOT NULL DEFAULT kernel.now_ms(),
  updated_at        bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, name),
  CHECK ((statement IS NULL) = (keyid IS NULL) AND (statement IS NULL) = (sig IS NULL)),
  CHECK ((definition IS NULL) = (definition_digest IS NULL) AND (definition IS NOT NULL OR statement IS NULL)),
  FOREIGN KEY (tenant_id, keyid) REFERENCES kernel.registrar_key
);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['registrar_key','sandbox'] LOOP
    EXECUTE format('ALTER TABLE kernel.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE kernel.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY one_tenant ON kernel.%I TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant())', t);
  END LOOP;
END $$;
GRANT SELECT, INSERT ON kernel.registrar_key, kernel.sandbox TO writ_kernel;
GRANT UPDATE (retired_at, revoked_at, ended_by) ON kernel.registrar_key TO writ_kernel;
GRANT UPDATE (workspace_id, definition, definition_digest, statement, keyid, sig, signed_at, updated_by, updated_at) ON kernel.sandbox TO writ_kernel;

-- A sandbox as it is stored, with the key that it names, for whoever verifies it: {definition, statement, keyid, sig, public_key, revoked}, bytes in base64; null where there is none.
CREATE FUNCTION kernel.sandbox_for(p_tenant text, p_name text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT jsonb_build_object(
            'definition', translate(encode(s.definition, 'base64'), E'\n', ''), 'statement', translate(encode(s.statement, 'base64'), E'\n', ''), 'keyid', s.keyid,
            'sig', translate(encode(s.sig, 'base64'), E'\n', ''), 'public_key', translate(encode(k.public_key, 'base64'), E'\n', ''), 'revoked', k.revoked_at IS NOT NULL)
          FROM sandbox s LEFT JOIN registrar_key k ON k.tenant_id = s.tenant_id AND k.keyid = s.keyid
          WHERE s.tenant_id = p_tenant AND s.name = p_name AND s.definition IS NOT NULL);
END $$;
GRANT EXECUTE ON FUNCTION kernel.sandbox_for TO writ_kernel;

-- What was called a sandbox before there were these is called what it is.
-- Containers that have a call or a session now, newest first: of one tenant, or run as the worker of all. Rows are those of ContainerView.
CREATE FUNCTION kernel.containers(p_tenant text, p_session_tool text, p_id text, p_before bigint, p_before_id text, p_rows integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE t bigint := now_ms();
BEGIN
  PERFORM set_config('writ.tenant_id', coalesce(p_tenant, ''), true);
  RETURN (
    SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY x.created_at DESC, x.container_id DESC), '[]') FROM (
      SELECT e.* FROM (
        SELECT o.operation_id AS container_id, 'call' AS kind, o.tenant_id, o.agent_id, o.workspace_id, o.session_id, o.operation_id, o.tool_id, o.executor_id,
               o.image_digest, o.created_at
          FROM operation o WHERE o.state = 'performing' AND o.lane = 'sandboxed' AND o.tool_id <> p_session_tool AND o.lease_until >= t
        UNION ALL
        SELECT o.operation_id, 'preview', o.tenant_id, o.agent_id, o.workspace_id, o.session_id, o.operation_id, o.tool_id, v.executor_id, v.image_digest, o.created_at
          FROM preview v JOIN operation o ON o.operation_id = v.operation_id WHERE v.state = 'performing' AND v.lane = 'sandboxed' AND v.lease_until >= t
        UNION ALL
        SELECT s.shell_id, 'session', s.tenant_id, k.agent_id, s.workspace_id, nullif(s.session_id, ''),
               (SELECT o.operation_id FROM operation o WHERE o.state = 'performing' AND o.tool_id = p_session_tool AND o.workspace_id = s.workspace_id
                  AND o.capability_token_id = s.capability_token_id AND coalesce(o.session_id, '') = s.session_id AND o.executor_id = s.executor_id ORDER BY o.created_at LIMIT 1),
               p_session_tool, s.executor_id, NULL, s.created_at
          FROM shell s JOIN token k ON k.capability_token_id = s.capability_token_id WHERE s.ending IS NULL AND s.lease_until >= t) e
      WHERE (p_id IS NULL OR e.container_id = p_id) AND (e.created_at, e.container_id) < (p_before, p_before_id)
      ORDER BY e.created_at DESC, e.container_id DESC LIMIT p_rows) x);
END $$;
GRANT EXECUTE ON FUNCTION kernel.containers TO writ_kernel, writ_kernel_worker;
