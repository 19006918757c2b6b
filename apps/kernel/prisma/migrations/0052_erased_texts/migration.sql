-- Erasures reach what was said in sessions. That is the orchestrator's: it takes an order, says here what will go before any of it goes, and says when it is gone. An erasure
-- is done when both parts are.
ALTER TABLE kernel.erasure
  -- sessions whose texts go; of an erasure by session, their calls too
  ADD COLUMN session_ids text[] NOT NULL DEFAULT '{}',
  -- none: no text is asked for; told: what goes is on the record, and more may come to be told; gone: nothing is left of it
  ADD COLUMN texts text NOT NULL DEFAULT 'none' CHECK (texts IN ('none', 'ordered', 'told', 'gone')),
  -- how often it was told: each round is recorded once
  ADD COLUMN texts_rounds integer NOT NULL DEFAULT 0,
  ADD COLUMN sessions integer NOT NULL DEFAULT 0,
  ADD COLUMN runs integer NOT NULL DEFAULT 0,
  ADD COLUMN calls_done boolean NOT NULL DEFAULT false;
ALTER TABLE kernel.erasure DROP CONSTRAINT erasure_selector_check, DROP CONSTRAINT names_what_it_selects;
ALTER TABLE kernel.erasure
  -- conversation: what was said in a session that is deleted, and no call
  ADD CONSTRAINT erasure_selector_check CHECK (selector IN ('operation', 'session', 'subject', 'before', 'conversation')),
  ADD CONSTRAINT names_what_it_selects CHECK ((operation_id IS NOT NULL) = (selector = 'operation') AND (session_id IS NOT NULL) = (selector IN ('session', 'conversation')) AND (subject IS NOT NULL) = (selector = 'subject')),
  ADD CONSTRAINT done_in_all_parts CHECK (state <> 'done' OR texts IN ('none', 'gone'));
GRANT UPDATE (texts, texts_rounds, sessions, runs, calls_done) ON kernel.erasure TO writ_kernel;
GRANT SELECT (selector, session_ids, until, texts, calls_done) ON kernel.erasure TO writ_kernel_worker;
UPDATE kernel.erasure SET calls_done = true WHERE state = 'done';
CREATE INDEX erasure_texts ON kernel.erasure (created_at, erasure_id) WHERE texts IN ('ordered', 'told');

-- Whoever begins one orders its texts by saying whose: those of an age are looked for always.
CREATE FUNCTION kernel.order_texts() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF NEW.selector = 'before' OR cardinality(NEW.session_ids) > 0 THEN NEW.texts := 'ordered'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER erasure_begun BEFORE INSERT ON kernel.erasure FOR EACH ROW EXECUTE FUNCTION kernel.order_texts();

-- As in 0032, with the calls of several sessions, and none of a conversation.
CREATE OR REPLACE FUNCTION kernel.calls_to_erase(e kernel.erasure, p_rows integer) RETURNS SETOF kernel.operation LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  IF e.selector = 'operation' THEN
    RETURN QUERY SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.operation_id = e.operation_id AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id);
  ELSIF e.selector = 'session' THEN
    RETURN QUERY SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.session_id = ANY (array_append(e.session_ids, e.session_id)) AND o.created_at < e.until
      AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id) ORDER BY o.created_at, o.operation_id LIMIT p_rows;
  ELSIF e.selector = 'subject' THEN
    RETURN QUERY
      (SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.data_subject = e.subject AND o.created_at < e.until
        AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id) ORDER BY o.created_at, o.operation_id LIMIT p_rows)
      UNION ALL
      (SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.agent_id = e.subject AND o.data_subject IS NULL AND o.created_at < e.until
        AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id) ORDER BY o.created_at, o.operation_id LIMIT p_rows)
      ORDER BY created_at, operation_id LIMIT p_rows;
  ELSIF e.selector = 'before' THEN
    RETURN QUERY SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.created_at < e.until
      AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id) ORDER BY o.created_at, o.operation_id LIMIT p_rows;
  END IF;
END $$;

-- As in 0031; it is done where its texts are gone as well.
CREATE OR REPLACE FUNCTION kernel.erase_batch(p_tenant text, p_erasure text, p_record text, p_rows integer) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
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
  -- What another erasure has taken meanwhile is that one's.
  SELECT array_agg(o.operation_id ORDER BY o.operation_id) INTO ids FROM (
    SELECT x.operation_id FROM operation x WHERE x.operation_id = ANY (page.ids) AND x.erased IS NULL ORDER BY x.operation_id FOR UPDATE) o;
  IF ids IS NOT NULL THEN PERFORM erase_calls(p_tenant, ids, jsonb_build_object('at', now_ms(), 'erasure_id', p_erasure, 'record_id', p_record)); END IF;
  UPDATE erasure x SET operations = x.operations + coalesce(cardinality(ids), 0), unfinished = x.unfinished + page.unfinished, unfinished_at = least(x.unfinished_at, page.unfinished_at),
      records = x.records + CASE WHEN ids IS NULL THEN 0 ELSE 1 END, record_id = CASE WHEN ids IS NULL THEN x.record_id ELSE p_record END,
      passed_at = coalesce(page.last_at, x.passed_at), passed_id = coalesce(page.last_id, x.passed_id), calls_done = page.looked < p_rows
    WHERE x.erasure_id = p_erasure;
  PERFORM end_erasure(p_erasure);
  SELECT * INTO e FROM erasure x WHERE x.erasure_id = p_erasure;
  RETURN jsonb_build_object('operation_ids', coalesce(to_jsonb(ids), '[]'), 'erasure', to_jsonb(e));
END $$;

CREATE FUNCTION kernel.end_erasure(p_erasure text) RETURNS void LANGUAGE sql SET search_path = kernel, pg_temp AS $$
  UPDATE erasure x SET state = 'done', finished_at = now_ms() WHERE x.erasure_id = p_erasure AND x.state = 'running' AND x.calls_done AND x.texts IN ('none', 'gone')
$$;

-- The orchestrator is about to take these texts away. The row as it is then, where this was news; null where it was told before, or nobody asked for it.
CREATE FUNCTION kernel.tell_texts(p_tenant text, p_erasure text, p_round integer, p_sessions integer, p_runs integer, p_record text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE e erasure;
BEGIN
  UPDATE erasure x SET texts = 'told', texts_rounds = p_round, sessions = x.sessions + p_sessions, runs = x.runs + p_runs, records = x.records + 1, record_id = p_record
    WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure AND x.texts IN ('ordered', 'told') AND x.texts_rounds = p_round - 1
    RETURNING * INTO e;
  RETURN CASE WHEN FOUND THEN to_jsonb(e) END;
END $$;

-- No text is left. Said twice it is said once.
CREATE FUNCTION kernel.texts_gone(p_tenant text, p_erasure text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE e erasure;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE erasure x SET texts = 'gone' WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure AND x.texts IN ('ordered', 'told');
  PERFORM end_erasure(p_erasure);
  SELECT * INTO e FROM erasure x WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure;
  RETURN CASE WHEN FOUND THEN to_jsonb(e) END;
END $$;
GRANT EXECUTE ON FUNCTION kernel.end_erasure, kernel.tell_texts, kernel.texts_gone TO writ_kernel;

-- As in 0031: those whose calls aren't done.
CREATE OR REPLACE FUNCTION kernel.running_erasures(p_rows integer) RETURNS jsonb LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('tenant_id', e.tenant_id, 'erasure_id', e.erasure_id)), '[]')
  FROM (SELECT x.tenant_id, x.erasure_id FROM erasure x WHERE x.state = 'running' AND NOT x.calls_done ORDER BY x.created_at, x.erasure_id LIMIT p_rows) e
$$;

-- Erasures of all tenants whose texts aren't gone: as many as fit a message, and in no order, so that one that can't go on keeps nobody. Run as the worker.
CREATE FUNCTION kernel.text_orders(p_rows integer) RETURNS jsonb LANGUAGE sql VOLATILE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('tenant_id', e.tenant_id, 'erasure_id', e.erasure_id, 'selector', e.selector, 'session_ids', e.session_ids, 'until', e.until)), '[]')
  FROM (SELECT d.*, sum(cardinality(d.session_ids)) OVER (ORDER BY d.place) AS ids
    FROM (SELECT x.tenant_id, x.erasure_id, x.selector, x.session_ids, x.until, row_number() OVER (ORDER BY random()) AS place FROM erasure x WHERE x.texts IN ('ordered', 'told')) d ORDER BY d.place LIMIT p_rows) e
  WHERE e.ids <= 10000
$$;
GRANT EXECUTE ON FUNCTION kernel.text_orders TO writ_kernel_worker;

-- As in 0031. A conversation may hold no call: so once a day it is begun even where no call is over age, for the texts that are.
CREATE OR REPLACE FUNCTION kernel.begin_retention(p_tenant text, p_erasure text) RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
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
  IF v_first IS NULL AND EXISTS (SELECT 1 FROM erasure x WHERE x.tenant_id = p_tenant AND x.requested_by = 'kernel' AND x.created_at > now_ms() - 86400000) THEN RETURN false; END IF;
  -- A tenant that is younger than what it keeps has nothing over age.
  IF v_first IS NULL AND n.created_at >= v_until THEN RETURN false; END IF;
  INSERT INTO erasure (erasure_id, tenant_id, selector, until, reason_code, requested_by, passed_at)
    VALUES (p_erasure, p_tenant, 'before', v_until, 'retention', 'kernel', greatest(0, coalesce(v_first, v_until) - 1));
  RETURN true;
END $$;
