-- Trigger of orchestrator.identity_provider. Notes when the claim that lists groups changes: groups that sessions have from
-- another claim count no more.
CREATE OR REPLACE FUNCTION orchestrator.note_groups_claim() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.groups_since := orchestrator.now_ms();
  RETURN NEW;
END $$;
