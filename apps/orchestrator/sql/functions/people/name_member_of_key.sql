-- Trigger of orchestrator.api_key. A new key that names no member, and whose principal is that of a member's keys, is the
-- member's. An orchestrator of the version before makes such keys; they are refused while the member isn't active.
CREATE OR REPLACE FUNCTION orchestrator.name_member_of_key() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  SELECT k.member_id INTO NEW.member_id
    FROM orchestrator.api_key AS k JOIN orchestrator.member AS m ON m.member_id = k.member_id
    WHERE k.tenant_id = NEW.tenant_id AND k.principal = NEW.principal LIMIT 1;
  RETURN NEW;
END $$;
