-- Trigger. Orders the texts of a new erasure from the orchestrator, which stores the texts of sessions. Texts are
-- ordered where the erasure names sessions in `session_ids`, and always where it selects by age.
CREATE OR REPLACE FUNCTION kernel.order_texts() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF NEW.selector = 'before' OR cardinality(NEW.session_ids) > 0 THEN NEW.texts := 'ordered'; END IF;
  RETURN NEW;
END $$;
