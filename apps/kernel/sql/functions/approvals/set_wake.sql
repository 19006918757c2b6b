-- Trigger of kernel.approval. Sets when the approval needs the sweep next (`wakes_at`): for its next escalation or its next
-- reminder, whichever comes first; null: for neither. Reminders whose time was over before the approval began are left
-- out.
CREATE OR REPLACE FUNCTION kernel.set_wake() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.reminders := ARRAY(SELECT r FROM unnest(NEW.reminders) AS r WHERE NEW.expires_at - r > NEW.created_at ORDER BY r DESC);
  END IF;
  NEW.wakes_at := least(
    NEW.created_at + (NEW.escalations -> NEW.escalated ->> 'after_ms')::bigint,
    NEW.expires_at - NEW.reminders[NEW.reminded + 1]);
  RETURN NEW;
END $$;
GRANT EXECUTE ON FUNCTION kernel.set_wake() TO writ_kernel;
