-- Returns the resources that a call of the agent names, as far as the agent is granted them: one row for each reference,
-- in their order.
-- p_refs: [{kind, ref, right, every}]; ref: an id or a name. An id comes before a name that looks like it.
-- every: true, and never a text of a caller, stands for every resource of the kind, to be used: its row has the kind and
-- the clearance of a grant for the whole kind.
--   ord        the number of the reference, from 1
--   kind, resource_id, name, owner_agent_id, settings, digest   the resource; of what is to be made, kind and name only
--   clearance  the least supervision
--   exists     for the right `create`: whether a resource of the kind has the name already; null for `use`
-- All but ord are null where there is no such resource, or the agent is not granted it: nobody can tell the two apart.
-- Of several grants the most specific one counts: for the resource and the agent, for the resource, for the kind and the
-- agent, for the kind. An owner uses its own at autopilot unless a grant for it and the resource says otherwise.
CREATE OR REPLACE FUNCTION kernel.resources_for(p_tenant text, p_agent text, p_refs jsonb)
RETURNS TABLE (
  ord integer, kind text, resource_id text, name text, owner_agent_id text, settings jsonb, digest text, clearance text,
  "exists" boolean
)
LANGUAGE plpgsql SET search_path = kernel, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN QUERY
  SELECT x.ord::integer, y.kind, y.resource_id, y.name, y.owner_agent_id, y.settings, y.digest, y.clearance, y.taken
  FROM jsonb_array_elements(CASE WHEN jsonb_typeof(p_refs) = 'array' THEN p_refs ELSE '[]' END) WITH ORDINALITY AS x(ref, ord)
  LEFT JOIN LATERAL (
    SELECT r.kind, r.resource_id, r.name, r.owner_agent_id, r.settings, r.digest, NULL::boolean AS taken,
      coalesce(
        (SELECT g.clearance FROM resource_grant g WHERE g.tenant_id = p_tenant AND g.kind = r.kind AND g."right" = 'use' AND g.resource_id = r.resource_id AND g.agent_id = p_agent),
        CASE WHEN r.owner_agent_id = p_agent THEN 'autopilot' END,
        (SELECT g.clearance FROM resource_grant g WHERE g.tenant_id = p_tenant AND g.kind = r.kind AND g."right" = 'use' AND g.resource_id = r.resource_id AND g.agent_id IS NULL),
        (SELECT g.clearance FROM resource_grant g WHERE g.tenant_id = p_tenant AND g.kind = r.kind AND g."right" = 'use' AND g.resource_id IS NULL AND g.agent_id = p_agent),
        (SELECT g.clearance FROM resource_grant g WHERE g.tenant_id = p_tenant AND g.kind = r.kind AND g."right" = 'use' AND g.resource_id IS NULL AND g.agent_id IS NULL)
      ) AS clearance
    FROM (
      SELECT a.*, 1 AS by FROM resource a
      WHERE a.resource_id = x.ref->>'ref' AND a.tenant_id = p_tenant AND a.kind = x.ref->>'kind' AND a.removed_at IS NULL
      UNION ALL
      SELECT b.*, 2 AS by FROM resource b
      WHERE b.tenant_id = p_tenant AND b.kind = x.ref->>'kind' AND b.name = x.ref->>'ref' AND b.removed_at IS NULL
      ORDER BY by LIMIT 1
    ) r
    WHERE x.ref->>'right' = 'use' AND x.ref->'every' IS DISTINCT FROM 'true'
    UNION ALL
    SELECT x.ref->>'kind', NULL, x.ref->>'ref', NULL, NULL, NULL,
      EXISTS (SELECT FROM resource b WHERE b.tenant_id = p_tenant AND b.kind = x.ref->>'kind' AND b.name = x.ref->>'ref' AND b.removed_at IS NULL),
      coalesce(
        (SELECT g.clearance FROM resource_grant g WHERE g.tenant_id = p_tenant AND g.kind = x.ref->>'kind' AND g."right" = 'create' AND g.resource_id IS NULL AND g.agent_id = p_agent),
        (SELECT g.clearance FROM resource_grant g WHERE g.tenant_id = p_tenant AND g.kind = x.ref->>'kind' AND g."right" = 'create' AND g.resource_id IS NULL AND g.agent_id IS NULL)
      )
    WHERE x.ref->>'right' = 'create'
    UNION ALL
    SELECT x.ref->>'kind', NULL, NULL, NULL, NULL, NULL, NULL,
      coalesce(
        (SELECT g.clearance FROM resource_grant g WHERE g.tenant_id = p_tenant AND g.kind = x.ref->>'kind' AND g."right" = 'use' AND g.resource_id IS NULL AND g.agent_id = p_agent),
        (SELECT g.clearance FROM resource_grant g WHERE g.tenant_id = p_tenant AND g.kind = x.ref->>'kind' AND g."right" = 'use' AND g.resource_id IS NULL AND g.agent_id IS NULL)
      )
    WHERE x.ref->>'right' = 'use' AND x.ref->'every' = 'true'
  ) y ON y.clearance IS NOT NULL
  ORDER BY x.ord;
END $$;
GRANT EXECUTE ON FUNCTION kernel.resources_for(text, text, jsonb) TO writ_kernel;
