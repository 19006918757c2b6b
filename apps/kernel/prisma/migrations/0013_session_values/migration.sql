-- What a person says beyond one yes or no: another call in the place of the held one, a yes for the session, a value.

-- The call that goes on in the place of one whose arguments were edited. Known before that one is proposed, so that an edit that is asked for again,
-- because its answer was lost, names the same call whoever remembers it.
ALTER TABLE kernel.approval ADD COLUMN superseded_by text;
ALTER TABLE kernel.approval ADD CONSTRAINT superseded_named CHECK (superseded_by IS NULL OR state = 'superseded');

-- A yes for the session is a child token of the call's own, and this says what counts as approved under it (`SessionApproval` of libs/contract). Set when
-- the token is made, as all of a token but its revocation.
ALTER TABLE kernel.token ADD COLUMN session_approval jsonb;
CREATE INDEX token_of_session ON kernel.token (parent_id, (session_approval ->> 'session_id')) WHERE session_approval IS NOT NULL;
ALTER TABLE kernel.approval ADD COLUMN session_token_id text;
ALTER TABLE kernel.approval ADD CONSTRAINT session_approved CHECK (session_token_id IS NULL OR state = 'approved');

-- Makes the token of a yes for the session, in the transaction that closes its approval: whoever calls holds the tenant's rules and asserts the chain
-- above. p: the columns. Its accounts are new rows, which nobody waits for.
CREATE FUNCTION kernel.put_session_token(p_tenant text, p jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE t token;
BEGIN
  t := jsonb_populate_record(NULL::token, p);
  INSERT INTO token (capability_token_id, tenant_id, agent_id, parent_id, chain, workspace_id, grant_json, issuer, created_at, session_approval)
  VALUES (t.capability_token_id, p_tenant, t.agent_id, t.parent_id, t.chain, t.workspace_id, t.grant_json, t.issuer, t.created_at, t.session_approval);
  INSERT INTO budget (capability_token_id, dimension, tenant_id, bound)
  SELECT t.capability_token_id, b.key, p_tenant, b.value::bigint FROM jsonb_each_text(t.grant_json -> 'budgets') b;
END $$;

-- Tokens under which a call that needs a person may count as approved: made of the token that it names, or that one itself, for its agent and session.
-- Newest first, with what hides the arguments that were approved. What of them fits, and that none is revoked when the call is written, others decide.
CREATE FUNCTION kernel.session_approvals(p_tenant text, p_agent text, p_token text, p_session text, p_rows integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(jsonb_agg(x.found), '[]') FROM (
    SELECT jsonb_build_object('capability_token_id', t.capability_token_id, 'approval', t.session_approval, 'tools', t.grant_json -> 'tools',
      'args', encode(y.args, 'base64'), 'args_ref', y.args_ref) AS found
    FROM token t LEFT JOIN payload y ON y.operation_id = t.session_approval ->> 'operation_id'
    WHERE t.session_approval ->> 'session_id' = p_session AND t.session_approval IS NOT NULL AND t.agent_id = p_agent
      AND (t.parent_id = p_token OR t.capability_token_id = p_token)
      AND t.revoked_at IS NULL AND (t.grant_json ->> 'expires_at')::bigint > now_ms()
    ORDER BY t.created_at DESC, t.capability_token_id DESC LIMIT p_rows) x);
END $$;

GRANT EXECUTE ON FUNCTION kernel.put_session_token, kernel.session_approvals TO writ_kernel;

-- A call may wait for a value that a person gives. It is held as any other; giving the value is the yes to it.
ALTER TABLE kernel.approval DROP CONSTRAINT approval_of_check;
ALTER TABLE kernel.approval ADD CONSTRAINT approval_of_check CHECK (of IN ('action', 'effect', 'value'));

-- The tenant's secrets: sealed under its data key (AES-256-GCM; nonce ‖ ciphertext ‖ tag), bound to tenant, name and version. Versions are only added.
CREATE TABLE kernel.secret (
  tenant_id   text NOT NULL,
  name        text NOT NULL,
  version     integer NOT NULL CHECK (version > 0),
  sealed      bytea NOT NULL,
  -- which data key sealed it
  key_id      text NOT NULL,
  note        text,
  created_by  text NOT NULL,
  created_at  bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, name, version)
);

-- Values that were given for one use or for a session: sealed as above, bound to tenant, approval and name. A row goes when it is used or over.
CREATE TABLE kernel.session_value (
  approval_id text PRIMARY KEY,
  tenant_id   text NOT NULL,
  agent_id    text NOT NULL,
  -- a call without a session has its token's
  session_id  text NOT NULL,
  name        text NOT NULL,
  secret      boolean NOT NULL,
  scope       text NOT NULL CHECK (scope IN ('once', 'session')),
  sealed      bytea NOT NULL,
  key_id      text NOT NULL,
  -- of one use: the call that has it, or had it if that has ended
  taken_by    text,
  expires_at  bigint NOT NULL,
  created_at  bigint NOT NULL DEFAULT kernel.now_ms()
);
CREATE INDEX session_value_by_name ON kernel.session_value (tenant_id, agent_id, session_id, name, created_at);
CREATE INDEX session_value_ends ON kernel.session_value (expires_at);
CREATE INDEX session_value_taken ON kernel.session_value (taken_by) WHERE taken_by IS NOT NULL;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['secret', 'session_value'] LOOP
    EXECUTE format('ALTER TABLE kernel.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE kernel.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY one_tenant ON kernel.%I TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant())', t);
  END LOOP;
END $$;
-- The worker takes out what is over. It sees no value, and whose it is only as far as it must.
CREATE POLICY all_tenants ON kernel.session_value TO writ_kernel_worker USING (true);
GRANT SELECT, INSERT ON kernel.secret TO writ_kernel;
GRANT SELECT, INSERT, UPDATE (taken_by) ON kernel.session_value TO writ_kernel;
GRANT SELECT (approval_id, tenant_id, taken_by, expires_at), DELETE ON kernel.session_value TO writ_kernel_worker;

-- The version that a secret would have next.
CREATE FUNCTION kernel.next_secret_version(p_tenant text, p_name text) RETURNS integer LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(max(s.version), 0) + 1 FROM secret s WHERE s.tenant_id = p_tenant AND s.name = p_name);
END $$;

-- Stores a version that was sealed for that number; WR001 where another took it meanwhile. p: name, version, sealed (base64), key_id, note, created_by.
CREATE FUNCTION kernel.put_secret(p_tenant text, p jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  INSERT INTO secret (tenant_id, name, version, sealed, key_id, note, created_by)
  SELECT p_tenant, s.name, s.version, decode(s.sealed, 'base64'), s.key_id, s.note, s.created_by
  FROM jsonb_to_record(p) AS s(name text, version integer, sealed text, key_id text, note text, created_by text)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN PERFORM decide_again('secret'); END IF;
END $$;

-- Keeps the value that an approval gives, in the transaction that closes it. p: secret {as put_secret reads it}, or session {the columns}.
CREATE FUNCTION kernel.put_value(p_tenant text, p jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF p ? 'secret' THEN PERFORM put_secret(p_tenant, p->'secret'); RETURN; END IF;
  INSERT INTO session_value (approval_id, tenant_id, agent_id, session_id, name, secret, scope, sealed, key_id, taken_by, expires_at)
  SELECT v.approval_id, p_tenant, v.agent_id, v.session_id, v.name, v.secret, v.scope, decode(v.sealed, 'base64'), v.key_id, v.taken_by, v.expires_at
  FROM jsonb_to_record(p->'session') AS v(approval_id text, agent_id text, session_id text, name text, secret boolean, scope text, sealed text, key_id text,
    taken_by text, expires_at bigint);
END $$;

-- Whether a call needn't ask a person: the value was given to its agent's session, or stored. What is no secret is never found among secrets.
CREATE FUNCTION kernel.value_known(p_tenant text, p_agent text, p_session text, p_name text, p_secret boolean) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN EXISTS (SELECT 1 FROM session_value v WHERE v.tenant_id = p_tenant AND v.agent_id = p_agent AND v.session_id = p_session AND v.name = p_name
      AND v.secret = p_secret AND v.taken_by IS NULL AND v.expires_at > now_ms())
    OR p_secret AND EXISTS (SELECT 1 FROM secret s WHERE s.tenant_id = p_tenant AND s.name = p_name);
END $$;

-- The newest value of the name for a call, sealed; null where there is none. What is for one use is the call's from here on: the same call may ask again,
-- another doesn't get it. A secret that isn't the session's is the tenant's newest version.
CREATE FUNCTION kernel.take_value(p_tenant text, p_agent text, p_session text, p_name text, p_secret boolean, p_operation text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v session_value;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO v FROM session_value x WHERE x.tenant_id = p_tenant AND x.agent_id = p_agent AND x.session_id = p_session AND x.name = p_name
    AND x.secret = p_secret AND (x.taken_by IS NULL OR x.taken_by = p_operation) AND x.expires_at > now_ms()
    ORDER BY (x.taken_by IS NOT NULL) DESC, x.created_at DESC LIMIT 1 FOR UPDATE;
  IF FOUND THEN
    IF v.scope = 'once' AND v.taken_by IS NULL THEN UPDATE session_value x SET taken_by = p_operation WHERE x.approval_id = v.approval_id; END IF;
    RETURN jsonb_build_object('approval_id', v.approval_id, 'sealed', encode(v.sealed, 'base64'));
  END IF;
  IF NOT p_secret THEN RETURN NULL; END IF;
  RETURN (SELECT jsonb_build_object('version', s.version, 'sealed', encode(s.sealed, 'base64')) FROM secret s
    WHERE s.tenant_id = p_tenant AND s.name = p_name ORDER BY s.version DESC LIMIT 1);
END $$;

-- Takes out values whose time is over, or whose one use has ended. Run as the worker.
CREATE FUNCTION kernel.sweep_values(p_rows integer) RETURNS integer LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE n integer;
BEGIN
  WITH over AS (
    SELECT v.approval_id FROM session_value v LEFT JOIN operation o ON o.operation_id = v.taken_by
    WHERE v.expires_at <= now_ms() OR o.state IN ('refused', 'committed', 'rolled_back', 'no_op', 'ambiguous') LIMIT p_rows)
  DELETE FROM session_value v USING over WHERE v.approval_id = over.approval_id;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

GRANT EXECUTE ON FUNCTION kernel.next_secret_version, kernel.put_secret, kernel.put_value, kernel.value_known, kernel.take_value TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.sweep_values TO writ_kernel_worker;
