-- Returns the calls that an erasure selects, after its position (`passed_at`, `passed_id`), oldest first, p_rows at
-- most. There is a query for each selector, so that each uses its index:
--   operation     one call
--   session       the calls of its sessions (`session_id` and `session_ids`)
--   subject       the calls that name the data subject. A call that names none is about its agent.
--   before        all calls of the tenant
--   conversation  none: such an erasure is of texts only
--   ended         calls of which only hashes stay, that ended before `until`. Those that are erased aren't selected, so
--                 the position doesn't matter.
-- All but `operation` and `ended` select only calls that were made before `until`.
CREATE OR REPLACE FUNCTION kernel.calls_to_erase(e kernel.erasure, p_rows integer) RETURNS SETOF kernel.operation
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
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
  ELSIF e.selector = 'ended' THEN
    RETURN QUERY SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.retention = 'hashes' AND o.erased IS NULL
      AND (o.state IN ('refused', 'committed', 'rolled_back', 'no_op') OR (o.state = 'ambiguous' AND o.resolution IS NOT NULL))
      AND o.updated_at < e.until ORDER BY o.updated_at LIMIT p_rows;
  END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.calls_to_erase(kernel.erasure, integer) TO writ_kernel;
