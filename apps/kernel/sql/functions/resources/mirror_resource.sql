-- Keeps the resources of the kinds agent, profile, sandbox and skill like the rows that they mirror, whoever writes
-- those. Trigger of kernel.agent, kernel.execution_profile, kernel.sandbox and kernel.skill. A name that was removed and
-- registered again gets another id: no earlier grant of it comes back.
-- The digest is that of {kind, name, settings: {}}: the names have no character that RFC 8785 escapes.
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
