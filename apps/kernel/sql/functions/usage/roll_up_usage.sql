-- Adds calls of a tenant to the sums of kernel.usage_day: those that ended since they were passed, and the next p_rows
-- after the mark. Returns how many calls it passed; fewer than p_rows mean that there are no more for now.
--
-- p_margin: only calls are passed that were decided this many milliseconds ago. The time of a call is taken before its
-- transaction commits, so this MUST be longer than any transaction.
--
-- Locks: the tenant's mark, so that each call is added once.
CREATE OR REPLACE FUNCTION kernel.roll_up_usage(p_tenant text, p_rows integer, p_margin bigint) RETURNS integer
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_from bigint;
  v_to bigint;
  v_limit bigint := now_ms() - p_margin;
  v_ended text[];
  v_open text[];
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  INSERT INTO usage_mark (tenant_id) VALUES (p_tenant) ON CONFLICT DO NOTHING;
  SELECT m.until_at INTO v_from FROM usage_mark m WHERE m.tenant_id = p_tenant FOR UPDATE;

  WITH over AS (
    DELETE FROM usage_open u USING operation o
    WHERE u.tenant_id = p_tenant AND o.operation_id = u.operation_id AND has_ended(o.state) RETURNING u.operation_id)
  SELECT coalesce(array_agg(operation_id), '{}') INTO v_ended FROM over;

  -- The time of the last call that is passed now. Calls of one millisecond are passed together.
  SELECT o.created_at INTO v_to FROM operation o WHERE o.tenant_id = p_tenant AND o.created_at >= v_from AND o.created_at < v_limit
    ORDER BY o.created_at, o.operation_id OFFSET p_rows LIMIT 1;
  v_to := CASE WHEN v_to IS NULL THEN greatest(v_limit, v_from) ELSE v_to + 1 END;
  -- One statement sees each call in one state.
  SELECT coalesce(array_agg(o.operation_id) FILTER (WHERE has_ended(o.state)), '{}'), coalesce(array_agg(o.operation_id) FILTER (WHERE NOT has_ended(o.state)), '{}')
    INTO v_ended, v_open
    FROM (SELECT s.operation_id, s.state FROM operation s WHERE s.tenant_id = p_tenant AND s.created_at >= v_from AND s.created_at < v_to
      UNION ALL SELECT e.id, 'committed' FROM unnest(v_ended) e(id)) o;
  PERFORM add_usage(v_ended);
  INSERT INTO usage_open (tenant_id, operation_id) SELECT p_tenant, unnest(v_open);
  IF v_to > v_from THEN UPDATE usage_mark m SET until_at = v_to WHERE m.tenant_id = p_tenant; END IF;
  RETURN cardinality(v_ended) + cardinality(v_open);
END $$;
GRANT EXECUTE ON FUNCTION kernel.roll_up_usage(text, integer, bigint) TO writ_kernel;
