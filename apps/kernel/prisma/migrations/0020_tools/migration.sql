-- Tools of tenants: programs that their administrators registered. Every version is kept, since operations and records name it by its digest; one of
-- each tool is in force. A decision asserts that it is the one that it was decided on, under the tenant's rules, so that a change of a tool comes wholly
-- before a decision or wholly after it.

-- Immutable. The digest is over the definition; a spec of the kernel compares.
CREATE TABLE kernel.tool_version (
  tenant_id         text NOT NULL REFERENCES kernel.tenant,
  tool_id           text NOT NULL CHECK (tool_id ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$' AND length(tool_id) <= 64),
  version           integer NOT NULL CHECK (version > 0),
  definition_digest text NOT NULL CHECK (definition_digest ~ '^[0-9a-f]{64}$'),
  document          jsonb NOT NULL,
  created_by        text NOT NULL,
  created_at        bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, tool_id, version),
  UNIQUE (tenant_id, definition_digest)
);

-- What is in force of each name; nothing once it was removed. A name stays, for the operations that used it.
CREATE TABLE kernel.tool (
  tenant_id         text NOT NULL REFERENCES kernel.tenant,
  tool_id           text NOT NULL,
  category          text NOT NULL CHECK (category IN ('read', 'write', 'admin')),
  version           integer NOT NULL CHECK (version > 0),
  definition_digest text,
  updated_by        text NOT NULL,
  created_at        bigint NOT NULL DEFAULT kernel.now_ms(),
  updated_at        bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, tool_id),
  FOREIGN KEY (tenant_id, tool_id, version) REFERENCES kernel.tool_version
);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['tool_version','tool'] LOOP
    EXECUTE format('ALTER TABLE kernel.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE kernel.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY one_tenant ON kernel.%I TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant())', t);
  END LOOP;
END $$;
GRANT SELECT, INSERT ON kernel.tool_version, kernel.tool TO writ_kernel;
GRANT UPDATE (category, version, definition_digest, updated_by, updated_at) ON kernel.tool TO writ_kernel;

-- The definition in force of the name, {document, definition_digest}; null where there is none.
CREATE FUNCTION kernel.tool_in_force(p_tenant text, p_tool text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT jsonb_build_object('document', v.document, 'definition_digest', v.definition_digest)
          FROM tool t JOIN tool_version v ON v.tenant_id = t.tenant_id AND v.definition_digest = t.definition_digest WHERE t.tenant_id = p_tenant AND t.tool_id = p_tool);
END $$;

-- The definition of the digest, in force or not, and whether it is: {document, definition_digest, in_force}.
CREATE FUNCTION kernel.tool_decided(p_tenant text, p_digest text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT jsonb_build_object('document', v.document, 'definition_digest', v.definition_digest, 'in_force', coalesce(t.definition_digest = v.definition_digest, false))
          FROM tool_version v JOIN tool t ON t.tenant_id = v.tenant_id AND t.tool_id = v.tool_id WHERE v.tenant_id = p_tenant AND v.definition_digest = p_digest);
END $$;

-- Names of tools, removed ones too, that fit one of the patterns: a name, `family.*` or `*`.
CREATE FUNCTION kernel.tools_like(p_tenant text, p_patterns text[]) RETURNS text[] LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(t.tool_id), '{}') FROM tool t
          WHERE t.tenant_id = p_tenant AND EXISTS (
            SELECT 1 FROM unnest(p_patterns) AS p(pattern)
            WHERE p.pattern = '*' OR p.pattern = t.tool_id OR (right(p.pattern, 2) = '.*' AND starts_with(t.tool_id, left(p.pattern, -1)))));
END $$;

-- INVARIANT (the tool in force): no call is let run, or held, on another definition than the one in force. Built-in tools have no row: what is of a tenant can't take their names.
CREATE FUNCTION kernel.assert_tool() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v_digest text;
BEGIN
  SELECT t.definition_digest INTO v_digest FROM tool t WHERE t.tenant_id = NEW.tenant_id AND t.tool_id = NEW.tool_id;
  IF FOUND AND v_digest IS DISTINCT FROM NEW.tool_definition_digest THEN PERFORM decide_again('tool'); END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER tool_in_force_at_insert BEFORE INSERT ON kernel.operation FOR EACH ROW
  WHEN (NEW.state IN ('admitted', 'held')) EXECUTE FUNCTION kernel.assert_tool();
-- Each decision about a call brings its record; what only moves a call on doesn't.
CREATE TRIGGER tool_in_force_at_decision BEFORE UPDATE OF decision_record_id ON kernel.operation FOR EACH ROW
  WHEN (NEW.state IN ('admitted', 'held', 'committed', 'no_op') AND NEW.decision_record_id IS DISTINCT FROM OLD.decision_record_id) EXECUTE FUNCTION kernel.assert_tool();

-- Puts a version in force, or none (definition_digest null), for decisions from here on. Its caller has locked the tenant's tools.
CREATE FUNCTION kernel.put_tool(p_tenant text, p jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO tool AS t (tenant_id, tool_id, category, version, definition_digest, updated_by)
  SELECT p_tenant, x.tool_id, x.category, x.version, x.definition_digest, x.updated_by
  FROM jsonb_to_record(p) AS x(tool_id text, category text, version integer, definition_digest text, updated_by text)
  ON CONFLICT (tenant_id, tool_id) DO UPDATE SET
    category = EXCLUDED.category, version = EXCLUDED.version, definition_digest = EXCLUDED.definition_digest, updated_by = EXCLUDED.updated_by, updated_at = now_ms();
END $$;

GRANT EXECUTE ON FUNCTION kernel.tool_in_force, kernel.tool_decided, kernel.tools_like, kernel.assert_tool, kernel.put_tool TO writ_kernel;
