-- Trigger of orchestrator.member. Notes the name (the pseudonym) that a member has from now on, and refuses (23505) one that
-- is or was another member's. It holds for every version of the orchestrator that runs.
CREATE OR REPLACE FUNCTION orchestrator.keep_member_name() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO orchestrator.member_name (tenant_id, person_id, member_id)
    VALUES (NEW.tenant_id, NEW.person_id, NEW.member_id) ON CONFLICT DO NOTHING;
  PERFORM FROM orchestrator.member_name AS n
    WHERE n.tenant_id = NEW.tenant_id AND n.person_id = NEW.person_id AND n.member_id <> NEW.member_id;
  IF FOUND THEN RAISE unique_violation USING MESSAGE = 'the name is or was of another member'; END IF;
  RETURN NEW;
END $$;
