-- Emergency stop. While a freeze stands, nothing that it covers is admitted, dispatched or redeemed, and nothing commits.
-- INVARIANT (wholly before or wholly after): whoever decides under the rules of a tenant holds them shared until its COMMIT, whoever changes them
-- exclusively until its own. So once a freeze's COMMIT has returned, no admission and no commit of a covered call commits any more.

-- Takes the rules of a tenant, and those of the deployment, as they are: first thing in a transaction that decides, before any row's lock.
CREATE FUNCTION kernel.hold_rules(p_tenant text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('writ.rules.*', 0)), pg_advisory_xact_lock_shared(hashtextextended('writ.rules.' || p_tenant, 0));
END $$;

-- Takes the rules of a tenant (`*`: of the deployment) to change them: waits for the decisions under way, and the next ones wait for this.
CREATE FUNCTION kernel.change_rules(p_tenant text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('writ.rules.' || p_tenant, 0));
END $$;

CREATE TABLE kernel.freeze (
  freeze_id   text PRIMARY KEY,
  -- `*`: of the whole deployment, and every tenant sees it
  tenant_id   text NOT NULL,
  scope       text NOT NULL CHECK (scope IN ('tenant', 'agent', 'tool', 'all')),
  -- the agent or the tool; of the wider scopes the row's own tenant_id
  subject     text NOT NULL,
  reason      text NOT NULL,
  placed_by   text NOT NULL,
  created_at  bigint NOT NULL DEFAULT kernel.now_ms(),
  -- null: until somebody lifts it
  expires_at  bigint,
  lifted_at   bigint,
  lifted_by   text,
  CONSTRAINT all_is_the_deployments CHECK ((scope = 'all') = (tenant_id = '*')),
  CONSTRAINT wide_names_itself CHECK (scope IN ('agent', 'tool') OR subject = tenant_id)
);
CREATE INDEX freeze_by_tenant ON kernel.freeze (tenant_id, created_at, freeze_id);
-- What may stand: a handful of rows, and mostly none. Asked at every decision.
CREATE INDEX freeze_unlifted ON kernel.freeze (tenant_id) WHERE lifted_at IS NULL;

ALTER TABLE kernel.freeze ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.freeze FORCE ROW LEVEL SECURITY;
CREATE POLICY own_and_everybodys ON kernel.freeze FOR SELECT TO writ_kernel USING (tenant_id IN (kernel.tenant(), '*'));
CREATE POLICY own_new ON kernel.freeze FOR INSERT TO writ_kernel WITH CHECK (tenant_id = kernel.tenant());
CREATE POLICY own_changed ON kernel.freeze FOR UPDATE TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
CREATE POLICY all_tenants ON kernel.freeze FOR SELECT TO writ_kernel_worker USING (true);
GRANT SELECT, INSERT, UPDATE (expires_at, lifted_at, lifted_by) ON kernel.freeze TO writ_kernel;
GRANT SELECT ON kernel.freeze TO writ_kernel_worker;
-- The dispatcher skips what was delegated by a frozen agent: it follows chains, and sees no grant.
CREATE POLICY chains_of_all ON kernel.token FOR SELECT TO writ_kernel_worker USING (true);
GRANT SELECT (capability_token_id, tenant_id, agent_id, chain) ON kernel.token TO writ_kernel_worker;

-- The freeze that covers a call, the widest first, or null. A frozen agent's calls are those under its tokens too, whomever it delegated them to.
CREATE FUNCTION kernel.freeze_on(p_tenant text, p_agent text, p_tool text, p_token text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  -- Mostly there is none at all, and that is cheaper to find out.
  IF NOT EXISTS (SELECT 1 FROM kernel.freeze f WHERE f.tenant_id IN (p_tenant, '*') AND f.lifted_at IS NULL) THEN RETURN NULL; END IF;
  RETURN (
    SELECT to_jsonb(f) FROM kernel.freeze f
    WHERE f.tenant_id IN (p_tenant, '*') AND f.lifted_at IS NULL AND coalesce(f.expires_at > now_ms(), true)
      AND CASE f.scope
        WHEN 'tool' THEN f.subject = p_tool
        WHEN 'agent' THEN f.subject = p_agent OR EXISTS (
          SELECT 1 FROM token l JOIN token k ON k.capability_token_id = ANY (l.chain) WHERE l.capability_token_id = p_token AND k.agent_id = f.subject)
        ELSE true END
    ORDER BY array_position(ARRAY['all', 'tenant', 'tool', 'agent'], f.scope), f.created_at LIMIT 1);
END $$;

-- Whether all calls of the tenant stand still, so that a dispatcher needn't look at them one by one.
CREATE FUNCTION kernel.stands_still(p_tenant text) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM kernel.freeze f WHERE f.tenant_id IN (p_tenant, '*') AND f.scope IN ('all', 'tenant') AND f.lifted_at IS NULL AND coalesce(f.expires_at > now_ms(), true));
END $$;

-- Returns once no freeze covers the call; under kernel.hold_rules none will before COMMIT. Otherwise WR001.
CREATE FUNCTION kernel.assert_unfrozen(p_tenant text, p_agent text, p_tool text, p_token text) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF freeze_on(p_tenant, p_agent, p_tool, p_token) IS NOT NULL THEN PERFORM decide_again('freeze'); END IF;
END $$;

-- The freeze that stands on exactly this, if one does.
CREATE FUNCTION kernel.standing_freeze(p_tenant text, p_scope text, p_subject text) RETURNS kernel.freeze
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE f kernel.freeze;
BEGIN
  SELECT * INTO f FROM kernel.freeze x
  WHERE x.tenant_id = p_tenant AND x.scope = p_scope AND x.subject = p_subject AND x.lifted_at IS NULL AND coalesce(x.expires_at > now_ms(), true)
  ORDER BY x.created_at LIMIT 1;
  RETURN f;
END $$;

-- What placing a freeze is decided on.
CREATE FUNCTION kernel.freeze_facts(p_tenant text, p_scope text, p_subject text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE f kernel.freeze;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  f := standing_freeze(p_tenant, p_scope, p_subject);
  RETURN jsonb_build_object('now', now_ms(), 'standing', CASE WHEN f.freeze_id IS NOT NULL THEN to_jsonb(f) END,
    'there', p_scope <> 'agent' OR EXISTS (SELECT 1 FROM agent a WHERE a.agent_id = p_subject));
END $$;

-- Places a freeze with its record, or moves the end of the one that stands on the same: in one statement, so that a kernel that is stopped in the middle of
-- it keeps nobody from deciding. WR001 where what stands isn't what was seen. p: freeze {columns}, seen {freeze_id, expires_at} | null, log_tenant, record.
CREATE FUNCTION kernel.place_freeze(p_tenant text, p jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  n kernel.freeze := jsonb_populate_record(NULL::kernel.freeze, p->'freeze');
  f kernel.freeze;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), change_rules(p_tenant);
  f := standing_freeze(p_tenant, n.scope, n.subject);
  IF f.freeze_id IS DISTINCT FROM p#>>'{seen,freeze_id}' OR f.expires_at IS DISTINCT FROM (p#>>'{seen,expires_at}')::bigint THEN PERFORM decide_again('freeze'); END IF;
  IF f.freeze_id IS NULL THEN
    INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by, expires_at)
    VALUES (n.freeze_id, p_tenant, n.scope, n.subject, n.reason, n.placed_by, n.expires_at) RETURNING * INTO f;
  ELSE
    UPDATE kernel.freeze x SET expires_at = n.expires_at WHERE x.freeze_id = f.freeze_id RETURNING * INTO f;
  END IF;
  -- Records of the deployment are in a log of its own.
  PERFORM set_config('writ.tenant_id', p->>'log_tenant', true);
  PERFORM post_records(p->>'log_tenant', jsonb_build_array(p->'record'));
  RETURN to_jsonb(f);
END $$;

-- A freeze of the tenant's own, or of the deployment. Null where it isn't there.
CREATE FUNCTION kernel.read_freeze(p_tenant text, p_freeze text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT jsonb_build_object('now', now_ms(), 'freeze', to_jsonb(x)) FROM kernel.freeze x WHERE x.freeze_id = p_freeze);
END $$;

-- Freezes of the tenant's own and of the deployment, newest first after a place, with the clock.
CREATE FUNCTION kernel.list_freezes(p_tenant text, p_created_at bigint, p_id text, p_standing boolean, p_rows integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN jsonb_build_object('now', now_ms(), 'freezes', coalesce((
    SELECT jsonb_agg(to_jsonb(x) ORDER BY x.created_at DESC, x.freeze_id DESC) FROM (
      SELECT * FROM kernel.freeze y WHERE (y.created_at, y.freeze_id) < (p_created_at, p_id)
        AND (NOT p_standing OR y.lifted_at IS NULL AND coalesce(y.expires_at > now_ms(), true))
      ORDER BY y.created_at DESC, y.freeze_id DESC LIMIT p_rows) x), '[]'));
END $$;

-- Lifts a freeze that stands, with its record. p: freeze_id, lifted_by, log_tenant, record. WR001 for one that is lifted or over already.
CREATE FUNCTION kernel.lift_freeze(p_tenant text, p jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE f kernel.freeze;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), change_rules(p_tenant);
  UPDATE kernel.freeze x SET lifted_at = now_ms(), lifted_by = p->>'lifted_by'
  WHERE x.freeze_id = p->>'freeze_id' AND x.tenant_id = p_tenant AND x.lifted_at IS NULL AND coalesce(x.expires_at > now_ms(), true) RETURNING * INTO f;
  IF NOT FOUND THEN PERFORM decide_again('freeze'); END IF;
  PERFORM set_config('writ.tenant_id', p->>'log_tenant', true);
  PERFORM post_records(p->>'log_tenant', jsonb_build_array(p->'record'));
  RETURN to_jsonb(f);
END $$;

-- Calls under way that a freeze covers, of one tenant or (`*`) of all: their executors are to be told. Run as the worker.
CREATE FUNCTION kernel.frozen_under_way(p_tenant text) RETURNS TABLE (tenant_id text, operation_id text, attempt integer)
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT o.tenant_id, o.operation_id, o.attempt FROM operation o
  WHERE o.state = 'performing' AND p_tenant IN (o.tenant_id, '*') AND freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NOT NULL
$$;

GRANT EXECUTE ON FUNCTION
  kernel.hold_rules, kernel.change_rules, kernel.freeze_on, kernel.assert_unfrozen, kernel.standing_freeze, kernel.freeze_facts, kernel.place_freeze,
  kernel.read_freeze, kernel.list_freezes, kernel.lift_freeze TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.freeze_on, kernel.stands_still, kernel.frozen_under_way TO writ_kernel_worker;
