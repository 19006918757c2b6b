-- Erases the next batch of an erasure's calls, p_rows at most, within the caller's transaction. Returns {operation_ids,
-- erasure}: the calls that it erased, and the row of the erasure afterwards. Returns null where the calls of the
-- erasure are done, or another transaction erases a batch of it.
--
-- p_record: the id of the record that the caller writes about this batch in the same transaction. It writes one only
-- where `operation_ids` isn't empty. So a batch, the progress of the erasure and the record are durable together or not
-- at all.
--
-- A call that hasn't ended is skipped and counted as `unfinished`. The caller continues while the erasure runs.
--
-- Locks: the erasure (skipped where another has it), then the operations by id, then what kernel.erase_calls and
-- info_store.forget_changes take.
CREATE OR REPLACE FUNCTION kernel.erase_batch(p_tenant text, p_erasure text, p_record text, p_rows integer)
RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  e erasure;
  ids text[];
  page record;
BEGIN
  SELECT * INTO e FROM erasure x WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure AND x.state = 'running' AND NOT x.calls_done FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT count(*) AS looked, max(c.created_at) AS last_at, (array_agg(c.operation_id ORDER BY c.created_at DESC, c.operation_id DESC))[1] AS last_id,
      count(*) FILTER (WHERE NOT c.over) AS unfinished, min(c.created_at) FILTER (WHERE NOT c.over) AS unfinished_at,
      array_agg(c.operation_id ORDER BY c.operation_id) FILTER (WHERE c.over AND c.erased IS NULL) AS ids INTO page
    FROM (SELECT o.created_at, o.operation_id, o.erased, is_over(o) AS over FROM calls_to_erase(e, p_rows) o) c;
  -- A call that another erasure has erased meanwhile belongs to that one.
  SELECT array_agg(o.operation_id ORDER BY o.operation_id) INTO ids FROM (
    SELECT x.operation_id FROM operation x WHERE x.operation_id = ANY (page.ids) AND x.erased IS NULL ORDER BY x.operation_id FOR UPDATE) o;
  IF ids IS NOT NULL THEN PERFORM erase_calls(p_tenant, ids, jsonb_build_object('at', now_ms(), 'erasure_id', p_erasure, 'record_id', p_record)); END IF;
  -- What somebody asks to erase is gone from information stores too. A retention leaves it, as it leaves files of workspaces.
  IF ids IS NOT NULL AND e.requested_by <> 'kernel' THEN PERFORM info_store.forget_changes(p_tenant, ids); END IF;
  UPDATE erasure x SET operations = x.operations + coalesce(cardinality(ids), 0), unfinished = x.unfinished + page.unfinished, unfinished_at = least(x.unfinished_at, page.unfinished_at),
      records = x.records + CASE WHEN ids IS NULL THEN 0 ELSE 1 END, record_id = CASE WHEN ids IS NULL THEN x.record_id ELSE p_record END,
      passed_at = coalesce(page.last_at, x.passed_at), passed_id = coalesce(page.last_id, x.passed_id), calls_done = page.looked < p_rows
    WHERE x.erasure_id = p_erasure;
  PERFORM end_erasure(p_erasure);
  SELECT * INTO e FROM erasure x WHERE x.erasure_id = p_erasure;
  RETURN jsonb_build_object('operation_ids', coalesce(to_jsonb(ids), '[]'), 'erasure', to_jsonb(e));
END $$;
GRANT EXECUTE ON FUNCTION kernel.erase_batch(text, text, text, integer) TO writ_kernel;
