-- Draws what the models of a run use on the `llm_tokens` budgets of a token chain: it settles what the run has used in
-- all, and replaces its reservation by one for the next reply. All budgets of the chain change, or none.
-- p has these members:
--   capability_token_id
--   agent_id: the agent that may draw on it; null for any
--   run_id
--   fence, place: the claim under which the run is driven, and the number of the draw under that claim
--   used_total: what the run used since it began
--   reserve: what the next reply may use at most; 0 releases the reservation
-- The figures are absolute, so a draw that is sent again changes nothing. A total below what is settled gives nothing
-- back: what a model has read stays used.
--
-- Returns null where the agent has no such token. Otherwise {bounded, refused}. bounded: whether any token of the chain
-- has such a budget. refused: null, or {code} that says why nothing is reserved:
--   budget.exhausted  with capability_token_id and `left` of the budget that has least; what was used is settled
--   token.revoked, token.expired, token.not_yet_valid  what was used is settled
--   tenant.closed  also under a chain without such budgets; what was used is settled where it has some
--   conflict  a later draw or claim came first, or the run draws on another token; nothing is written
--
-- Locks: rules (shared, only to reserve), the run's row, budgets in id order as in kernel.reserve and kernel.settle.
CREATE OR REPLACE FUNCTION kernel.draw_tokens(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  links   text[];
  v_chain text[];
  d       run_draw;
  link    text;
  v_left  bigint;
  v_used  bigint;
  v_take  bigint := (p ->> 'reserve')::bigint;
  v_fault text;
  refused jsonb;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  -- A revocation comes wholly before this reservation or wholly after it.
  IF v_take > 0 THEN PERFORM hold_rules(p_tenant); END IF;
  SELECT x.chain INTO v_chain FROM token x WHERE x.capability_token_id = p ->> 'capability_token_id' AND x.tenant_id = p_tenant AND x.agent_id = coalesce(p ->> 'agent_id', x.agent_id);
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT array_agg(b.capability_token_id ORDER BY b.capability_token_id) INTO links FROM budget b WHERE b.capability_token_id = ANY (v_chain) AND b.dimension = 'llm_tokens';
  -- A closed tenant uses no model, whatever still drives its run.
  IF v_take > 0 AND EXISTS (SELECT FROM tenant n WHERE n.tenant_id = p_tenant AND n.closed_at IS NOT NULL) THEN
    refused := jsonb_build_object('code', 'tenant.closed');
  END IF;
  IF links IS NULL THEN RETURN jsonb_build_object('bounded', false, 'refused', refused); END IF;

  INSERT INTO run_draw (tenant_id, run_id, capability_token_id, fence, place) VALUES (p_tenant, p ->> 'run_id', p ->> 'capability_token_id', (p ->> 'fence')::bigint, (p ->> 'place')::bigint) ON CONFLICT DO NOTHING;
  SELECT * INTO d FROM run_draw x WHERE x.tenant_id = p_tenant AND x.run_id = p ->> 'run_id' FOR UPDATE;
  -- A process that no longer drives the run, or a draw that arrives late, is fenced.
  IF d.capability_token_id <> p ->> 'capability_token_id' OR ((p ->> 'fence')::bigint, (p ->> 'place')::bigint) < (d.fence, d.place) THEN
    RETURN jsonb_build_object('bounded', true, 'refused', jsonb_build_object('code', 'conflict'));
  END IF;
  v_used := greatest(d.settled, (p ->> 'used_total')::bigint);
  -- The same draw, sent again, changes nothing.
  IF (d.fence, d.place) = ((p ->> 'fence')::bigint, (p ->> 'place')::bigint) AND d.settled = v_used AND d.reserved = v_take THEN RETURN jsonb_build_object('bounded', true, 'refused', NULL); END IF;

  IF v_take > 0 AND refused IS NULL THEN
    v_fault := coalesce(chain_fault(p ->> 'capability_token_id', now_ms()),
      CASE WHEN EXISTS (SELECT 1 FROM token x WHERE x.capability_token_id = ANY (v_chain) AND (x.grant_json ->> 'not_before')::bigint > now_ms()) THEN 'token.not_yet_valid' END);
    IF v_fault IS NOT NULL THEN refused := jsonb_build_object('code', v_fault); END IF;
  END IF;
  IF v_take > 0 AND refused IS NULL THEN
    FOREACH link IN ARRAY links LOOP
      SELECT b.bound - (b.used + v_used - d.settled) - (b.reserved - d.reserved) INTO v_left FROM budget b WHERE b.capability_token_id = link AND b.dimension = 'llm_tokens' FOR UPDATE;
      IF v_left < v_take AND (refused IS NULL OR v_left < (refused ->> 'left')::bigint) THEN refused := jsonb_build_object('code', 'budget.exhausted', 'capability_token_id', link, 'left', v_left); END IF;
    END LOOP;
  END IF;
  IF refused IS NOT NULL THEN v_take := 0; END IF;
  FOREACH link IN ARRAY links LOOP
    UPDATE budget b SET used = b.used + v_used - d.settled, reserved = b.reserved - d.reserved + v_take WHERE b.capability_token_id = link AND b.dimension = 'llm_tokens';
  END LOOP;
  UPDATE run_draw x SET settled = v_used, reserved = v_take, fence = (p ->> 'fence')::bigint, place = (p ->> 'place')::bigint, updated_at = now_ms() WHERE x.tenant_id = p_tenant AND x.run_id = d.run_id;
  RETURN jsonb_build_object('bounded', true, 'refused', refused);
END $$;
GRANT EXECUTE ON FUNCTION kernel.draw_tokens(text, jsonb) TO writ_kernel;
