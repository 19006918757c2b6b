-- Erasing what calls were given and what they returned. Records aren't touched: they hold no content, and stay as they were signed.

ALTER TABLE kernel.operation ADD COLUMN erased jsonb;
COMMENT ON COLUMN kernel.operation.erased IS '{at, erasure_id, record_id}: its content is gone, by the erasure and the record that are named';

CREATE TABLE kernel.erasure (
  erasure_id     text PRIMARY KEY,
  tenant_id      text NOT NULL,
  selector       text NOT NULL CHECK (selector IN ('operation', 'session', 'before')),
  operation_id   text,
  session_id     text,
  -- of calls made before it, by the database's clock; those made later aren't of it, whenever it comes to them
  until          bigint NOT NULL,
  reason_code    text NOT NULL,
  -- an API key, or `kernel` for what a retention period ended
  requested_by   text NOT NULL,
  state          text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done')),
  -- how far it is: the last call that it looked at
  passed_at      bigint NOT NULL DEFAULT 0,
  passed_id      text NOT NULL DEFAULT '',
  operations     integer NOT NULL DEFAULT 0,
  unfinished     integer NOT NULL DEFAULT 0,
  -- when the first call was made that it passed over
  unfinished_at  bigint,
  records        integer NOT NULL DEFAULT 0,
  record_id      text,
  created_at     bigint NOT NULL DEFAULT kernel.now_ms(),
  finished_at    bigint,
  CONSTRAINT names_what_it_selects CHECK ((operation_id IS NOT NULL) = (selector = 'operation') AND (session_id IS NOT NULL) = (selector = 'session'))
);
CREATE INDEX erasure_by_tenant ON kernel.erasure (tenant_id, created_at, erasure_id);
-- A handful of rows, and mostly none.
CREATE INDEX erasure_running ON kernel.erasure (created_at, erasure_id) WHERE state = 'running';

ALTER TABLE kernel.erasure ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.erasure FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.erasure TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The worker finds what isn't done. It can erase nothing.
CREATE POLICY all_tenants ON kernel.erasure FOR SELECT TO writ_kernel_worker USING (true);
GRANT SELECT, INSERT, UPDATE (state, passed_at, passed_id, operations, unfinished, unfinished_at, records, record_id, finished_at) ON kernel.erasure TO writ_kernel;
GRANT SELECT (erasure_id, tenant_id, state, created_at) ON kernel.erasure TO writ_kernel_worker;
GRANT DELETE ON kernel.kept_output, kernel.session_value TO writ_kernel;
GRANT UPDATE (comment) ON kernel.vote TO writ_kernel;

-- Whether nothing more happens to a call by itself, and nobody has to say anything about it any more.
CREATE FUNCTION kernel.is_over(o kernel.operation) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT o.state IN ('refused', 'committed', 'rolled_back', 'no_op') OR (o.state = 'ambiguous' AND o.resolution IS NOT NULL) $$;

-- The calls of an erasure after a place, oldest first: a statement for each selector, so that each has its index.
CREATE FUNCTION kernel.calls_to_erase(e kernel.erasure, p_rows integer) RETURNS SETOF kernel.operation LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  IF e.selector = 'operation' THEN
    RETURN QUERY SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.operation_id = e.operation_id AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id);
  ELSIF e.selector = 'session' THEN
    RETURN QUERY SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.session_id = e.session_id AND o.created_at < e.until
      AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id) ORDER BY o.created_at, o.operation_id LIMIT p_rows;
  ELSE
    RETURN QUERY SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.created_at < e.until
      AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id) ORDER BY o.created_at, o.operation_id LIMIT p_rows;
  END IF;
END $$;

-- Codes stay, words go: they may quote what the call was given.
CREATE FUNCTION kernel.bare_reasons(reasons jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT coalesce(jsonb_agg(jsonb_build_object('code', r.value->'code', 'message', 'erased') ORDER BY r.ordinality), '[]') FROM jsonb_array_elements(reasons) WITH ORDINALITY r $$;

-- Takes the content of calls away, wherever it stands. What is by reference goes with the next collection: nothing names it any more.
CREATE FUNCTION kernel.erase_calls(p_tenant text, p_ids text[], p_erased jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  -- The tombstones first: keys are locked before operations, as everywhere.
  UPDATE idempotency i SET args_fingerprint = NULL FROM operation o WHERE o.operation_id = ANY (p_ids)
    AND i.tenant_id = p_tenant AND i.agent_id = o.agent_id AND i.tool_id = o.tool_id AND i.idempotency_key = o.idempotency_key AND i.operation_id = o.operation_id;
  -- The digest of a proposal is over its arguments, without a salt: whoever guesses them could tell. Asked about as the same operation again, the call is another one then.
  UPDATE operation o SET erased = p_erased, proposal_digest = 'erased', reasons = bare_reasons(o.reasons), fault_message = NULL, fault_hint = NULL, precondition_refs = '[]',
      resolution_note = CASE WHEN o.resolution_note IS NOT NULL THEN 'erased' END, result_ref = NULL, whole_output = NULL
    WHERE o.operation_id = ANY (p_ids);
  UPDATE payload y SET args = NULL, args_ref = NULL, salt = NULL, result = NULL, staged = NULL, requests = NULL, announced = '{}', erased_at = (p_erased->>'at')::bigint WHERE y.operation_id = ANY (p_ids);
  DELETE FROM kept_output k WHERE k.operation_id = ANY (p_ids);
  UPDATE preview v SET fault_message = NULL, would_ask_for = NULL WHERE v.operation_id = ANY (p_ids);
  UPDATE vote v SET comment = NULL FROM approval a WHERE a.operation_id = ANY (p_ids) AND v.approval_id = a.approval_id AND v.comment IS NOT NULL;
  DELETE FROM session_value s USING approval a WHERE a.operation_id = ANY (p_ids) AND s.approval_id = a.approval_id;
  UPDATE approval a SET comment = NULL, reasons = bare_reasons(a.reasons) WHERE a.operation_id = ANY (p_ids);
END $$;

-- Erases the next of an erasure's calls. Null where it is done, or another is at it; else {operation_ids, erasure}: the calls that it erased, and the row as it is then.
CREATE FUNCTION kernel.erase_batch(p_tenant text, p_erasure text, p_record text, p_rows integer) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  e erasure;
  ids text[];
  page record;
BEGIN
  SELECT * INTO e FROM erasure x WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure AND x.state = 'running' FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT count(*) AS looked, max(c.created_at) AS last_at, (array_agg(c.operation_id ORDER BY c.created_at DESC, c.operation_id DESC))[1] AS last_id,
      count(*) FILTER (WHERE NOT c.over) AS unfinished, min(c.created_at) FILTER (WHERE NOT c.over) AS unfinished_at,
      array_agg(c.operation_id ORDER BY c.operation_id) FILTER (WHERE c.over AND c.erased IS NULL) AS ids INTO page
    FROM (SELECT o.created_at, o.operation_id, o.erased, is_over(o) AS over FROM calls_to_erase(e, p_rows) o) c;
  -- What another erasure has taken meanwhile is that one's.
  SELECT array_agg(o.operation_id ORDER BY o.operation_id) INTO ids FROM (
    SELECT x.operation_id FROM operation x WHERE x.operation_id = ANY (page.ids) AND x.erased IS NULL ORDER BY x.operation_id FOR UPDATE) o;
  IF ids IS NOT NULL THEN PERFORM erase_calls(p_tenant, ids, jsonb_build_object('at', now_ms(), 'erasure_id', p_erasure, 'record_id', p_record)); END IF;
  UPDATE erasure x SET operations = x.operations + coalesce(cardinality(ids), 0), unfinished = x.unfinished + page.unfinished, unfinished_at = least(x.unfinished_at, page.unfinished_at),
      records = x.records + CASE WHEN ids IS NULL THEN 0 ELSE 1 END, record_id = CASE WHEN ids IS NULL THEN x.record_id ELSE p_record END,
      passed_at = coalesce(page.last_at, x.passed_at), passed_id = coalesce(page.last_id, x.passed_id),
      state = CASE WHEN page.looked < p_rows THEN 'done' ELSE 'running' END, finished_at = CASE WHEN page.looked < p_rows THEN now_ms() END
    WHERE x.erasure_id = p_erasure RETURNING * INTO e;
  RETURN jsonb_build_object('operation_ids', coalesce(to_jsonb(ids), '[]'), 'erasure', to_jsonb(e));
END $$;

-- What an erasure of these calls would find, looking at so many at most: {operations, unfinished, unfinished_id, looked}.
CREATE FUNCTION kernel.erasure_plan(p_tenant text, p_erasure jsonb, p_rows integer) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (
    SELECT jsonb_build_object('operations', count(*) FILTER (WHERE is_over(o) AND o.erased IS NULL), 'unfinished', count(*) FILTER (WHERE NOT is_over(o)),
      'unfinished_id', min(o.operation_id) FILTER (WHERE NOT is_over(o)), 'looked', count(*))
    FROM calls_to_erase(jsonb_populate_record(NULL::erasure, p_erasure || jsonb_build_object('tenant_id', p_tenant, 'passed_at', 0, 'passed_id', '')), p_rows) o);
END $$;

-- Erasures that aren't done, the oldest first. Run as the worker.
CREATE FUNCTION kernel.running_erasures(p_rows integer) RETURNS jsonb LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('tenant_id', e.tenant_id, 'erasure_id', e.erasure_id)), '[]')
  FROM (SELECT x.tenant_id, x.erasure_id FROM erasure x WHERE x.state = 'running' ORDER BY x.created_at, x.erasure_id LIMIT p_rows) e
$$;
GRANT EXECUTE ON FUNCTION kernel.running_erasures TO writ_kernel_worker;

-- Retention. `erased_until`: every call that was made before it and is over has been looked at.
ALTER TABLE kernel.tenant
  ADD COLUMN payload_days integer CHECK (payload_days BETWEEN 1 AND 3650),
  ADD COLUMN output_days integer CHECK (output_days BETWEEN 1 AND 365),
  ADD COLUMN retention_at bigint,
  ADD COLUMN retained_at bigint,
  ADD COLUMN erased_until bigint NOT NULL DEFAULT 0;
CREATE INDEX tenant_retained ON kernel.tenant (coalesce(retained_at, 0)) WHERE payload_days IS NOT NULL;
GRANT UPDATE (payload_days, output_days, retention_at, erased_until) ON kernel.tenant TO writ_kernel;
GRANT SELECT (payload_days, retained_at), UPDATE (retained_at) ON kernel.tenant TO writ_kernel_worker;

-- The tenant whose calls are to be looked through for what is over age, or null. Run as the worker; replicas never get the same one.
CREATE FUNCTION kernel.take_retention(p_every bigint) RETURNS text LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v_tenant text;
BEGIN
  UPDATE tenant n SET retained_at = now_ms() WHERE n.tenant_id = (
    SELECT d.tenant_id FROM tenant d WHERE d.payload_days IS NOT NULL AND coalesce(d.retained_at, 0) < now_ms() - p_every ORDER BY coalesce(d.retained_at, 0) LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING n.tenant_id INTO v_tenant;
  RETURN v_tenant;
END $$;
GRANT EXECUTE ON FUNCTION kernel.take_retention TO writ_kernel_worker;

-- Begins to erase what is over age, where something is, and true then. A call that hasn't ended holds the mark back: it is looked at again.
CREATE FUNCTION kernel.begin_retention(p_tenant text, p_erasure text) RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  n tenant;
  v_until bigint;
  v_first bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  -- One at a time decides: the row itself is what admissions and limits read.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('writ.retention.' || p_tenant, 0)) THEN RETURN false; END IF;
  SELECT * INTO n FROM tenant t WHERE t.tenant_id = p_tenant AND t.payload_days IS NOT NULL;
  IF NOT FOUND OR EXISTS (SELECT 1 FROM erasure x WHERE x.tenant_id = p_tenant AND x.state = 'running' AND x.requested_by = 'kernel') THEN RETURN false; END IF;
  v_until := now_ms() - n.payload_days * 86400000::bigint;
  SELECT o.created_at INTO v_first FROM operation o WHERE o.tenant_id = p_tenant AND o.created_at >= n.erased_until AND o.created_at < v_until AND is_over(o) AND o.erased IS NULL
    ORDER BY o.created_at, o.operation_id LIMIT 1;
  IF v_first IS NULL THEN RETURN false; END IF;
  INSERT INTO erasure (erasure_id, tenant_id, selector, until, reason_code, requested_by, passed_at)
    VALUES (p_erasure, p_tenant, 'before', v_until, 'retention', 'kernel', greatest(0, v_first - 1));
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION kernel.is_over, kernel.calls_to_erase, kernel.bare_reasons, kernel.erase_calls, kernel.erase_batch, kernel.erasure_plan, kernel.begin_retention TO writ_kernel;

-- An erasure of what is over age that is done says how far nothing is left.
CREATE FUNCTION kernel.note_retained() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  UPDATE tenant n SET erased_until = least(NEW.until, coalesce((
      SELECT min(o.created_at) FROM operation o WHERE o.tenant_id = NEW.tenant_id AND o.created_at >= n.erased_until AND o.created_at < NEW.until AND NOT is_over(o)), NEW.until))
    WHERE n.tenant_id = NEW.tenant_id;
  RETURN NULL;
END $$;
CREATE TRIGGER erasure_retained AFTER UPDATE OF state ON kernel.erasure FOR EACH ROW
  WHEN (OLD.state = 'running' AND NEW.state = 'done' AND NEW.requested_by = 'kernel') EXECUTE FUNCTION kernel.note_retained();

-- As in 0025; a tenant's own time is the shorter one.
CREATE OR REPLACE FUNCTION kernel.keep_output(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_stdout jsonb, p_stderr jsonb, p_kept_ms bigint
) RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE until bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT now_ms() + least(p_kept_ms, n.output_days * 86400000::bigint) INTO until FROM tenant n WHERE n.tenant_id = p_tenant;
  PERFORM 1 FROM operation o WHERE o.operation_id = p_operation AND o.attempt = p_attempt AND o.executor_id = p_executor AND o.nonce = p_nonce AND o.state = 'performing' FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO kept_output AS k (operation_id, tenant_id, attempt, stdout_ref, stderr_ref, expires_at) VALUES (p_operation, p_tenant, p_attempt, p_stdout, p_stderr, until)
    ON CONFLICT (operation_id) DO UPDATE SET attempt = excluded.attempt, stdout_ref = excluded.stdout_ref, stderr_ref = excluded.stderr_ref, expires_at = excluded.expires_at
    WHERE k.attempt < excluded.attempt;
  IF FOUND THEN
    UPDATE operation o SET whole_output = jsonb_build_object('attempt', p_attempt, 'expires_at', until,
      'stdout', jsonb_build_object('bytes', p_stdout -> 'size', 'cut', p_stdout -> 'cut'),
      'stderr', jsonb_build_object('bytes', p_stderr -> 'size', 'cut', p_stderr -> 'cut')) WHERE o.operation_id = p_operation;
  END IF;
  RETURN true;
END $$;
