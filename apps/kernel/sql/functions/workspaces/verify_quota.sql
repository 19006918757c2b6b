-- Trigger workspace_quota, before a head moves, whoever moves it.
-- INVARIANT (quota): no head moves to a snapshot with which workspace or tenant holds more than its quota and more than
-- before. What shrinks a workspace always passes.
--
-- Raises WR003 where a quota is exceeded: the kernel answers `workspace.quota` with the message.
-- Raises WR004 where a quota applies and a size is unknown: the caller counts (kernel.uncounted) and tries again.
-- Locks, after the workspace: the tenant's row, where the tenant has a quota of its own. FOR NO KEY UPDATE, since a
-- stronger lock would wait for every insert that refers to the tenant.
CREATE OR REPLACE FUNCTION kernel.verify_quota() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  q record;
  o record;
BEGIN
  -- A kernel version that does not count has moved the head.
  IF NEW.sized_seq IS DISTINCT FROM NEW.head_seq THEN NEW.files := NULL; NEW.bytes := NULL; END IF;
  IF NEW.files IS NULL OR NEW.bytes IS NULL THEN NEW.files := NULL; NEW.bytes := NULL; NEW.sized_seq := NULL; END IF;
  SELECT n.files_max, n.bytes_max INTO q FROM tenant n WHERE n.tenant_id = NEW.tenant_id;
  IF coalesce(NEW.files_max, NEW.bytes_max, q.files_max, q.bytes_max) IS NULL THEN RETURN NEW; END IF;
  IF NEW.files IS NULL THEN RAISE EXCEPTION 'what the workspace holds is not counted' USING ERRCODE = 'WR004'; END IF;
  PERFORM verify_room(format('the workspace `%s`', NEW.workspace_id), 'files_max', 'files', NEW.files_max, OLD.files, NEW.files);
  PERFORM verify_room(format('the workspace `%s`', NEW.workspace_id), 'bytes_max', 'bytes', NEW.bytes_max, OLD.bytes, NEW.bytes);
  IF coalesce(q.files_max, q.bytes_max) IS NULL THEN RETURN NEW; END IF;
  -- Until COMMIT no other head of this tenant moves, so the sum is exact.
  SELECT n.files_max, n.bytes_max INTO q FROM tenant n WHERE n.tenant_id = NEW.tenant_id FOR NO KEY UPDATE;
  SELECT coalesce(sum(w.files), 0) AS files, coalesce(sum(w.bytes), 0) AS bytes, coalesce(bool_or(w.files IS NULL), false) AS uncounted INTO o
    FROM workspace w WHERE w.tenant_id = NEW.tenant_id AND w.workspace_id <> NEW.workspace_id;
  IF o.uncounted THEN RAISE EXCEPTION 'what the tenant holds is not counted' USING ERRCODE = 'WR004'; END IF;
  PERFORM verify_room('the tenant', 'files_max', 'files', q.files_max, o.files + OLD.files, o.files + NEW.files);
  PERFORM verify_room('the tenant', 'bytes_max', 'bytes', q.bytes_max, o.bytes + OLD.bytes, o.bytes + NEW.bytes);
  RETURN NEW;
END $$;
GRANT EXECUTE ON FUNCTION kernel.verify_quota() TO writ_kernel;
