-- Returns the groups that all of these persons are members of since p_at at the latest, in ms since the epoch, sorted. So
-- whoever was removed and put back votes again. The caller has set the tenant.
CREATE OR REPLACE FUNCTION kernel.shared_groups(p_tenant text, p_principals text[], p_at bigint) RETURNS text[]
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(array_agg(f.group_name ORDER BY f.group_name), '{}') FROM (
    SELECT m.group_name FROM approver_group_member m
    WHERE m.tenant_id = p_tenant AND m.principal = ANY (p_principals) AND m.added_at <= p_at
    GROUP BY m.group_name HAVING count(*) = (SELECT count(DISTINCT x) FROM unnest(p_principals) AS x)) f;
$$;
GRANT EXECUTE ON FUNCTION kernel.shared_groups(text, text[], bigint) TO writ_kernel;
