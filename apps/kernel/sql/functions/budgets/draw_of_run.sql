-- Draws what the models of a run use, as kernel.draw_tokens does on its token chain, and in the budgets per day and month
-- that bound whoever the run is of. It counts what the run has used since its last draw in the present period, whatever
-- is left: what a model has read is spent. It reserves what the next reply may use where every budget has room for it.
-- p has the members of kernel.draw_tokens, and these:
--   owner   {agent_id, person, api_key_id}: whose run it is; the person as API keys name persons
--   cost    {currency, used_total, reserve}: what the run's replies cost since it began, and what the next one may, in
--           millionths; null where its model has no prices in a currency
--
-- Returns what kernel.draw_tokens does. `bounded` is also true where such a budget bounds the run. `refused` may be
-- {code: 'budget.period', budget_id, subject_kind, subject, period, measure, bound, used, resets_at}: nothing is
-- reserved then, and what was used is counted.
--
-- A reservation counts for an hour: no reply takes as long, and a run that nobody drives any more holds nothing.
--
-- Locks: the rules (shared, only to reserve), the tenant's budgets (an advisory lock), then those of kernel.draw_tokens.
CREATE OR REPLACE FUNCTION kernel.draw_of_run(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t bigint := now_ms();
  v_reply jsonb;
  v_refused jsonb;
  v_owner jsonb := p -> 'owner';
  v_cost jsonb := nullif(p -> 'cost', 'null');
  v_agent text;
  d period_draw;
  b period_budget;
  v_used bigint;
  v_left bigint;
  v_add bigint;
  v_take bigint;
  is_bounded boolean := false;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  IF NOT EXISTS (SELECT FROM period_budget x WHERE x.tenant_id = p_tenant AND x.measure IN ('llm_tokens', 'cost')) THEN
    RETURN draw_tokens(p_tenant, p);
  END IF;
  PERFORM hold_rules(p_tenant), pg_advisory_xact_lock(hashtextextended('writ.budgets.' || p_tenant, 0));
  v_reply := draw_tokens(p_tenant, p);
  IF v_reply IS NULL OR v_reply #>> '{refused,code}' = 'conflict' THEN RETURN v_reply; END IF;
  SELECT k.agent_id INTO v_agent FROM token k WHERE k.capability_token_id = p ->> 'capability_token_id';

  -- What a run used before its first draw under a budget was used before the budget, in whatever period.
  INSERT INTO period_draw (tenant_id, run_id, agent_id, person, api_key_id, currency, fence, place, tokens_settled, cost_settled)
  VALUES (p_tenant, p ->> 'run_id', v_agent, v_owner ->> 'person', origin_of_key(p_tenant, v_owner ->> 'api_key_id'), v_cost ->> 'currency',
    (p ->> 'fence')::bigint, (p ->> 'place')::bigint, (p ->> 'used_total')::bigint, coalesce((v_cost ->> 'used_total')::bigint, 0))
  ON CONFLICT DO NOTHING;
  -- Orchestrators of the version before report no costs.
  UPDATE period_draw x SET currency = v_cost ->> 'currency', cost_settled = (v_cost ->> 'used_total')::bigint
    WHERE x.tenant_id = p_tenant AND x.run_id = p ->> 'run_id' AND x.currency IS NULL AND v_cost IS NOT NULL;
  SELECT * INTO d FROM period_draw x WHERE x.tenant_id = p_tenant AND x.run_id = p ->> 'run_id' FOR UPDATE;
  IF ((p ->> 'fence')::bigint, (p ->> 'place')::bigint) < (d.fence, d.place) THEN
    RETURN jsonb_build_object('bounded', true, 'refused', jsonb_build_object('code', 'conflict'));
  END IF;

  FOR b IN SELECT * FROM period_budgets_of(p_tenant, 'llm_tokens', NULL, d.agent_id, d.person, d.api_key_id)
    UNION ALL SELECT * FROM period_budgets_of(p_tenant, 'cost', d.currency, d.agent_id, d.person, d.api_key_id)
  LOOP
    is_bounded := true;
    v_add := CASE b.measure WHEN 'cost' THEN greatest(0, coalesce((v_cost ->> 'used_total')::bigint, 0) - d.cost_settled)
      ELSE greatest(0, (p ->> 'used_total')::bigint - d.tokens_settled) END;
    v_take := CASE b.measure WHEN 'cost' THEN coalesce((v_cost ->> 'reserve')::bigint, 0) ELSE (p ->> 'reserve')::bigint END;
    INSERT INTO period_use AS u (budget_id, starts_at, part, tenant_id, granted, used)
    VALUES (b.budget_id, period_start(b.period, t), 0, p_tenant, v_add, v_add)
    ON CONFLICT (budget_id, starts_at, part) DO UPDATE SET granted = u.granted + v_add, used = u.used + v_add
    RETURNING u.used INTO v_used;
    v_left := b.bound - v_used - (
      SELECT coalesce(sum(CASE b.measure WHEN 'cost' THEN x.cost_reserved ELSE x.tokens_reserved END), 0) FROM period_draw x
      WHERE x.tenant_id = p_tenant AND (x.tokens_reserved > 0 OR x.cost_reserved > 0) AND x.run_id <> d.run_id
        AND x.updated_at > t - 3600000 AND (b.measure <> 'cost' OR x.currency = b.currency)
        AND b.budget_id IN (SELECT y.budget_id FROM period_budgets_of(p_tenant, b.measure, b.currency, x.agent_id, x.person, x.api_key_id) y));
    IF v_take > 0 AND v_left < v_take AND (v_refused IS NULL OR (v_refused ->> 'resets_at')::bigint < period_end(b.period, t)) THEN
      v_refused := jsonb_build_object('code', 'budget.period', 'budget_id', b.budget_id, 'subject_kind', b.subject_kind, 'subject', b.subject,
        'period', b.period, 'measure', b.measure, 'currency', b.currency, 'bound', b.bound, 'used', v_used, 'resets_at', period_end(b.period, t));
    END IF;
  END LOOP;
  -- What the token chain reserved for the reply that is not to come is released.
  IF v_refused IS NOT NULL AND v_reply -> 'refused' = 'null' THEN PERFORM draw_tokens(p_tenant, p || '{"reserve": 0}'); END IF;
  v_take := CASE WHEN v_refused IS NULL AND v_reply -> 'refused' = 'null' THEN 1 ELSE 0 END;
  UPDATE period_draw x SET tokens_settled = greatest(x.tokens_settled, (p ->> 'used_total')::bigint), tokens_reserved = v_take * (p ->> 'reserve')::bigint,
    cost_settled = greatest(x.cost_settled, coalesce((v_cost ->> 'used_total')::bigint, 0)), cost_reserved = v_take * coalesce((v_cost ->> 'reserve')::bigint, 0),
    fence = (p ->> 'fence')::bigint, place = (p ->> 'place')::bigint, updated_at = t
  WHERE x.tenant_id = p_tenant AND x.run_id = d.run_id;
  RETURN jsonb_build_object('bounded', is_bounded OR (v_reply ->> 'bounded')::boolean,
    'refused', coalesce(nullif(v_reply -> 'refused', 'null'), v_refused));
END $$;
GRANT EXECUTE ON FUNCTION kernel.draw_of_run(text, jsonb) TO writ_kernel;
