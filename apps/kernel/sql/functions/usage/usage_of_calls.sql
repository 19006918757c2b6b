-- Returns how many calls of a tenant were decided first in [p_from, p_to), by the dimensions that p_by names: [{day,
-- agent_id, person, api_key_id, tool_id, outcome, calls}], in the order of these. A member that p_by doesn't name is
-- null. `day` is milliseconds since the epoch. `outcome` is the state in which a call ended; `open`: it has not.
--
-- p_by: of day, agent, person, key, tool, outcome. p_after: the six members of the last row of the page before, null ones
-- as '', and the day with 20 digits; null for the first page. p_rows: rows of the page.
--
-- It is one statement, so that sums and mark are of one moment.
CREATE OR REPLACE FUNCTION kernel.usage_of_calls(
  p_tenant text, p_from bigint, p_to bigint, p_by text[], p_after text[], p_rows integer
) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (
    WITH seen AS (
      SELECT u.day_at, u.agent_id, u.person, u.api_key_id, u.tool_id, u.outcome, u.calls FROM usage_day u
      WHERE u.tenant_id = p_tenant AND u.day_at >= p_from AND u.day_at < p_to
      UNION ALL
      SELECT o.created_at - o.created_at % 86400000, o.agent_id, coalesce(o.proposers[1], o.proposed_by), origin_of_key(o.tenant_id, o.proposed_by), o.tool_id,
        CASE WHEN has_ended(o.state) THEN o.state ELSE 'open' END, 1
      FROM operation o WHERE o.tenant_id = p_tenant AND o.created_at < p_to
        AND o.created_at >= greatest(p_from, (SELECT coalesce(max(m.until_at), 0) FROM usage_mark m WHERE m.tenant_id = p_tenant))
      UNION ALL
      SELECT o.created_at - o.created_at % 86400000, o.agent_id, coalesce(o.proposers[1], o.proposed_by), origin_of_key(o.tenant_id, o.proposed_by), o.tool_id,
        CASE WHEN has_ended(o.state) THEN o.state ELSE 'open' END, 1
      FROM usage_open w JOIN operation o ON o.operation_id = w.operation_id
      WHERE w.tenant_id = p_tenant AND o.created_at >= p_from AND o.created_at < p_to
    ), named AS (
      SELECT CASE WHEN 'day' = ANY (p_by) THEN lpad(s.day_at::text, 20, '0') ELSE '' END COLLATE "C" AS d,
        CASE WHEN 'agent' = ANY (p_by) THEN s.agent_id ELSE '' END COLLATE "C" AS a,
        CASE WHEN 'person' = ANY (p_by) THEN s.person ELSE '' END COLLATE "C" AS p,
        CASE WHEN 'key' = ANY (p_by) THEN s.api_key_id ELSE '' END COLLATE "C" AS k,
        CASE WHEN 'tool' = ANY (p_by) THEN s.tool_id ELSE '' END COLLATE "C" AS t,
        CASE WHEN 'outcome' = ANY (p_by) THEN s.outcome ELSE '' END COLLATE "C" AS o, s.calls
      FROM seen s
    ), sums AS (
      SELECT n.d, n.a, n.p, n.k, n.t, n.o, sum(n.calls)::bigint AS calls FROM named n
      WHERE p_after IS NULL OR (n.d, n.a, n.p, n.k, n.t, n.o) > (p_after[1], p_after[2], p_after[3], p_after[4], p_after[5], p_after[6])
      GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6 LIMIT p_rows
    )
    SELECT coalesce(jsonb_agg(jsonb_build_object('day', nullif(x.d, '')::bigint, 'agent_id', nullif(x.a, ''), 'person', nullif(x.p, ''),
      'api_key_id', nullif(x.k, ''), 'tool_id', nullif(x.t, ''), 'outcome', nullif(x.o, ''), 'calls', x.calls) ORDER BY x.d, x.a, x.p, x.k, x.t, x.o), '[]')
    FROM sums x);
END $$;
GRANT EXECUTE ON FUNCTION kernel.usage_of_calls(text, bigint, bigint, text[], text[], integer) TO writ_kernel;
