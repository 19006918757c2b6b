-- Registered resources and their grants. Triggers need their functions, so these come first, as the files have them.
CREATE OR REPLACE FUNCTION kernel.default_grants() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO resource_grant (resource_grant_id, tenant_id, kind, "right", clearance, created_by)
  SELECT new_id('rgr'), new.tenant_id, x.kind, x."right", 'autopilot', 'kernel'
  FROM (VALUES ('agent', 'create'), ('task', 'create'), ('profile', 'use'), ('sandbox', 'use'), ('search_engine', 'use'), ('skill', 'use'), ('website', 'use'))
    AS x(kind, "right")
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.default_grants() TO writ_kernel;
CREATE OR REPLACE FUNCTION kernel.mirror_resource() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_tenant text; v_kind text; v_name text; v_by text;
  v_there boolean := TG_OP <> 'DELETE';
BEGIN
  IF TG_TABLE_NAME = 'agent' THEN
    v_kind := 'agent'; v_tenant := new.tenant_id; v_name := new.agent_id; v_by := 'kernel';
  ELSIF TG_TABLE_NAME = 'sandbox' THEN
    v_kind := 'sandbox'; v_tenant := new.tenant_id; v_name := new.name; v_by := new.updated_by;
    v_there := new.definition IS NOT NULL;
  ELSE
    v_kind := CASE TG_TABLE_NAME WHEN 'skill' THEN 'skill' ELSE 'profile' END;
    IF v_there THEN v_tenant := new.tenant_id; v_name := new.name; v_by := new.created_by;
    ELSE v_tenant := old.tenant_id; v_name := old.name; END IF;
    -- A skill is there as long as one of its versions is.
    IF NOT v_there AND TG_TABLE_NAME = 'skill' THEN
      v_there := EXISTS (SELECT FROM skill s WHERE s.tenant_id = v_tenant AND s.name = v_name);
      v_by := old.created_by;
    END IF;
  END IF;
  IF v_there THEN
    INSERT INTO resource (resource_id, tenant_id, kind, name, settings, digest, created_by)
    VALUES (
      new_id('res'), v_tenant, v_kind, v_name, '{}',
      encode(sha256(convert_to(format('{"kind":"%s","name":"%s","settings":{}}', v_kind, v_name), 'UTF8')), 'hex'), v_by)
    ON CONFLICT (tenant_id, kind, name) WHERE removed_at IS NULL DO NOTHING;
  ELSE
    UPDATE resource r SET removed_at = now_ms(), updated_at = now_ms()
    WHERE r.tenant_id = v_tenant AND r.kind = v_kind AND r.name = v_name AND r.removed_at IS NULL;
  END IF;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.mirror_resource() TO writ_kernel;
CREATE OR REPLACE FUNCTION kernel.forget_grants() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  DELETE FROM resource_grant g WHERE g.tenant_id = new.tenant_id AND g.resource_id = new.resource_id;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.forget_grants() TO writ_kernel;

CREATE TABLE kernel.resource (
  resource_id text PRIMARY KEY,
  tenant_id   text NOT NULL REFERENCES kernel.tenant,
  kind        text NOT NULL CHECK (kind IN (
    'agent', 'audio_device', 'calendar', 'container', 'info_store', 'mailbox', 'model', 'profile', 'sandbox',
    'search_engine', 'skill', 'website'
  )),
  name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 64),

  owner_agent_id text REFERENCES kernel.agent,
  settings       jsonb NOT NULL,
  digest         text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  version        integer DEFAULT 1 NOT NULL CHECK (version > 0),

  created_by text NOT NULL,
  created_at bigint DEFAULT kernel.now_ms() NOT NULL,
  updated_at bigint DEFAULT kernel.now_ms() NOT NULL,
  removed_at bigint
);

CREATE UNIQUE INDEX resource_named ON kernel.resource (tenant_id, kind, name) WHERE removed_at IS NULL;
CREATE INDEX resource_by_tenant ON kernel.resource (tenant_id, created_at, resource_id) WHERE removed_at IS NULL;

ALTER TABLE kernel.resource ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.resource FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.resource TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.resource TO writ_kernel;
GRANT UPDATE (settings, digest, version, updated_at, removed_at) ON kernel.resource TO writ_kernel;

CREATE TABLE kernel.resource_grant (
  resource_grant_id text PRIMARY KEY,
  tenant_id         text NOT NULL REFERENCES kernel.tenant,
  kind              text NOT NULL CHECK (kind IN (
    'agent', 'audio_device', 'calendar', 'container', 'info_store', 'mailbox', 'model', 'profile', 'sandbox',
    'search_engine', 'skill', 'task', 'website'
  )),
  resource_id       text REFERENCES kernel.resource,
  "right"           text NOT NULL CHECK ("right" IN ('use', 'create')),
  agent_id          text REFERENCES kernel.agent,
  clearance  text NOT NULL CHECK (clearance IN ('autopilot', 'soft_gate', 'escalated')),
  created_by text NOT NULL,
  created_at bigint DEFAULT kernel.now_ms() NOT NULL,
  CHECK ("right" = 'use' OR resource_id IS NULL)
);

CREATE UNIQUE INDEX resource_grant_key ON kernel.resource_grant (tenant_id, kind, "right", resource_id, agent_id)
  NULLS NOT DISTINCT;
CREATE INDEX resource_grant_by_tenant ON kernel.resource_grant (tenant_id, created_at, resource_grant_id);
CREATE INDEX resource_grant_of ON kernel.resource_grant (resource_id) WHERE resource_id IS NOT NULL;

ALTER TABLE kernel.resource_grant ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.resource_grant FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.resource_grant TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT, DELETE ON kernel.resource_grant TO writ_kernel;
GRANT UPDATE (clearance, created_by, created_at) ON kernel.resource_grant TO writ_kernel;

CREATE TRIGGER tenant_granted AFTER INSERT ON kernel.tenant
  FOR EACH ROW EXECUTE FUNCTION kernel.default_grants();
CREATE TRIGGER mirror_resource AFTER INSERT ON kernel.agent
  FOR EACH ROW EXECUTE FUNCTION kernel.mirror_resource();
CREATE TRIGGER mirror_resource AFTER INSERT OR DELETE ON kernel.execution_profile
  FOR EACH ROW EXECUTE FUNCTION kernel.mirror_resource();
CREATE TRIGGER mirror_resource AFTER INSERT OR UPDATE OF definition ON kernel.sandbox
  FOR EACH ROW EXECUTE FUNCTION kernel.mirror_resource();
CREATE TRIGGER mirror_resource AFTER INSERT OR DELETE ON kernel.skill
  FOR EACH ROW EXECUTE FUNCTION kernel.mirror_resource();
CREATE TRIGGER resource_removed AFTER UPDATE OF removed_at ON kernel.resource
  FOR EACH ROW WHEN (new.removed_at IS NOT NULL AND old.removed_at IS NULL)
  EXECUTE FUNCTION kernel.forget_grants();

-- What is there already gets its rows. Row-level security binds the owner, too: it sees all tenants meanwhile.
ALTER TABLE kernel.tenant NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.agent NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.execution_profile NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.sandbox NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.skill NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.tool NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.tool_version NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.resource NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.resource_grant NO FORCE ROW LEVEL SECURITY;

INSERT INTO kernel.resource_grant (resource_grant_id, tenant_id, kind, "right", clearance, created_by)
SELECT kernel.new_id('rgr'), t.tenant_id, x.kind, x."right", 'autopilot', 'kernel'
FROM kernel.tenant t, (VALUES ('agent', 'create'), ('task', 'create'), ('profile', 'use'), ('sandbox', 'use'),
  ('search_engine', 'use'), ('skill', 'use'), ('website', 'use')) AS x(kind, "right");

INSERT INTO kernel.resource (resource_id, tenant_id, kind, name, settings, digest, created_by)
SELECT kernel.new_id('res'), x.tenant_id, x.kind, x.name, '{}',
  encode(sha256(convert_to(format('{"kind":"%s","name":"%s","settings":{}}', x.kind, x.name), 'UTF8')), 'hex'), x.created_by
FROM (
  SELECT tenant_id, 'agent' AS kind, agent_id AS name, 'kernel' AS created_by FROM kernel.agent
  UNION ALL SELECT tenant_id, 'profile', name, created_by FROM kernel.execution_profile
  UNION ALL SELECT tenant_id, 'sandbox', name, updated_by FROM kernel.sandbox WHERE definition IS NOT NULL
  UNION ALL (SELECT DISTINCT ON (tenant_id, name) tenant_id, 'skill', name, created_by FROM kernel.skill ORDER BY tenant_id, name, seq)
) x;

-- A search provider becomes the search engine `default`. Its tool is Writ's own from now on.
INSERT INTO kernel.resource (resource_id, tenant_id, kind, name, settings, digest, created_by, created_at, updated_at)
SELECT kernel.new_id('res'), t.tenant_id, 'search_engine', 'default', v.document->'provider',
  encode(sha256(convert_to(
    '{"kind":"search_engine","name":"default","settings":{"kind":' || to_json(v.document#>>'{provider,kind}')::text
      || ',"url":' || to_json(v.document#>>'{provider,url}')::text || '}}', 'UTF8')), 'hex'),
  t.updated_by, t.updated_at, t.updated_at
FROM kernel.tool t JOIN kernel.tool_version v USING (tenant_id, tool_id, version)
WHERE t.tool_id = 'web.search' AND t.definition_digest IS NOT NULL;
UPDATE kernel.tool SET definition_digest = NULL WHERE tool_id = 'web.search';

ALTER TABLE kernel.tenant FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.agent FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.execution_profile FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.sandbox FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.skill FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.tool FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.tool_version FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.resource FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.resource_grant FORCE ROW LEVEL SECURITY;
