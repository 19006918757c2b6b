-- Trigger of orchestrator.credential. A new credential that names no member is the one's whose subject it is of. An
-- orchestrator of the version before makes such credentials; they are refused while the member isn't active.
CREATE OR REPLACE FUNCTION orchestrator.name_member_of_credential() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE orchestrator.api_key AS k SET member_id = i.member_id FROM orchestrator.member_identity AS i
    WHERE k.api_key_id = NEW.api_key_id AND k.member_id IS NULL
      AND i.tenant_id = NEW.tenant_id AND i.subject_hash = NEW.subject_hash;
  RETURN NEW;
END $$;
