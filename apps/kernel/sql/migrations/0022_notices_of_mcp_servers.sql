-- Notices about MCP servers, which are about no call.
ALTER TABLE kernel.notice
  ALTER COLUMN operation_id DROP NOT NULL,
  ALTER COLUMN agent_id DROP NOT NULL,
  ALTER COLUMN tool_id DROP NOT NULL,
  ALTER COLUMN autonomy_mode DROP NOT NULL,
  ADD COLUMN mcp_server jsonb,
  ADD CONSTRAINT notice_subject CHECK (
    CASE WHEN mcp_server IS NULL
      THEN operation_id IS NOT NULL AND agent_id IS NOT NULL AND tool_id IS NOT NULL AND autonomy_mode IS NOT NULL
      ELSE operation_id IS NULL AND approval_id IS NULL AND agent_id IS NULL AND tool_id IS NULL
    END);

-- Trigger. Writes notices of what an attempt to list an MCP server found: `mcp_server.failing` when it failed otherwise
-- than the one before, `mcp_server.recovered` when it succeeded again, and one each where tools are new, changed or gone.
-- It runs at the end of the transaction, when the tools are written: those that this attempt found have its time.
-- A server decides how many tools it lists, so a notice has twenty of them by their ids, and the count of all.
CREATE OR REPLACE FUNCTION kernel.note_mcp_listing() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  was    text := OLD.problem ->> 'code';
  is_now text := NEW.problem ->> 'code';
  about  jsonb;
BEGIN
  SELECT jsonb_build_object('resource_id', r.resource_id, 'server', r.name, 'problem', is_now, 'count', 0, 'tools', '[]'::jsonb)
    INTO about FROM resource r WHERE r.tenant_id = NEW.tenant_id AND r.resource_id = NEW.resource_id;
  -- The server was removed in this transaction.
  IF about IS NULL THEN RETURN NULL; END IF;
  IF was IS DISTINCT FROM is_now THEN
    INSERT INTO notice (tenant_id, kind, mcp_server)
    VALUES (NEW.tenant_id, CASE WHEN is_now IS NULL THEN 'mcp_server.recovered' ELSE 'mcp_server.failing' END, about);
  END IF;
  IF is_now IS NULL THEN
    INSERT INTO notice (tenant_id, kind, mcp_server)
    SELECT NEW.tenant_id, 'mcp_server.tools_' || f.state, about || jsonb_build_object('count', max(f.total), 'tools',
      jsonb_agg(jsonb_build_object('tool_id', f.tool_id, 'digest', f.seen_digest) ORDER BY f.tool_id))
    FROM (
      SELECT t.state, t.tool_id, t.seen_digest, count(*) OVER (PARTITION BY t.state) AS total,
        row_number() OVER (PARTITION BY t.state ORDER BY t.tool_id) AS nth
      FROM mcp_tool t
      WHERE t.tenant_id = NEW.tenant_id AND t.resource_id = NEW.resource_id AND t.seen_at = NEW.checked_at
        AND t.state IN ('new', 'changed', 'gone')
    ) f WHERE f.nth <= 20 GROUP BY f.state ORDER BY f.state;
  END IF;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.note_mcp_listing() TO writ_kernel;
CREATE CONSTRAINT TRIGGER mcp_server_listed AFTER UPDATE OF checked_at ON kernel.mcp_server
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (new.checked_at IS NOT NULL)
  EXECUTE FUNCTION kernel.note_mcp_listing();
