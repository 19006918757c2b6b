-- Trigger. Moves `tenant.erased_until` when a retention erasure is done: up to its `until`, or up to the oldest call
-- that hasn't ended, so that the next one looks at that call again.
CREATE OR REPLACE FUNCTION kernel.note_retained() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  UPDATE tenant n SET erased_until = least(NEW.until, coalesce((
      SELECT min(o.created_at) FROM operation o WHERE o.tenant_id = NEW.tenant_id AND o.created_at >= n.erased_until AND o.created_at < NEW.until AND NOT is_over(o)), NEW.until))
    WHERE n.tenant_id = NEW.tenant_id;
  RETURN NULL;
END $$;
