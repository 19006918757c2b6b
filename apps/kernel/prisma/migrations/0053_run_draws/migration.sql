-- What runs draw on the `llm_tokens` of their session's token: tokens that models read and wrote.
-- INVARIANT (drawn once): a row says what of a run its token's budgets hold, and whoever drives the run says absolute figures: said again, by whoever goes on with the run, they change nothing.
-- INVARIANT (spent is spent): what a model used is settled, whatever is left, and whether the token stands or not; what it is to use next is reserved where there is room, under a token that stands.

-- What was used may be more than was reserved for it, since it is known only afterwards: of this dimension alone.
ALTER TABLE kernel.budget DROP CONSTRAINT never_overspent, ADD CONSTRAINT never_overspent CHECK (dimension = 'llm_tokens' OR reserved + used <= bound);

-- A row stays when its run is deleted: it holds ids and counts, and is what the budgets were settled by.
CREATE TABLE kernel.run_draw (
  tenant_id    text NOT NULL,
  run_id       text NOT NULL,
  capability_token_id text NOT NULL,
  settled      bigint NOT NULL DEFAULT 0 CHECK (settled >= 0),
  reserved     bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  -- the last draw: under which claim of the run, and which of that
  fence        bigint NOT NULL,
  place        bigint NOT NULL,
  created_at   bigint NOT NULL DEFAULT kernel.now_ms(),
  updated_at   bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, run_id)
) WITH (fillfactor = 70);
ALTER TABLE kernel.run_draw ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.run_draw FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.run_draw TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.run_draw TO writ_kernel;
GRANT UPDATE (settled, reserved, fence, place, updated_at) ON kernel.run_draw TO writ_kernel;

-- Settles what a run used in all, and reserves what its next reply may use in place of what was reserved for it before, in each token of the chain that bounds it, or in none.
-- p: capability_token_id, agent_id (null: whosever it is), run_id, fence, place, used_total, reserve. Null where there is no such token for that agent. Else {bounded, refused: null |
-- {code; of budget.exhausted capability_token_id and left}}: what is refused is the reservation, and none is left then. Of figures that are behind what is settled, what is settled stays: nobody gives back what a
-- model has read. Locks: the tenant's rules (shared), the run's row, budgets by id last, as kernel.reserve and kernel.settle take them.
CREATE FUNCTION kernel.draw_tokens(p_tenant text, p jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
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
  -- A revocation comes wholly before this or after it.
  IF v_take > 0 THEN PERFORM hold_rules(p_tenant); END IF;
  SELECT x.chain INTO v_chain FROM token x WHERE x.capability_token_id = p ->> 'capability_token_id' AND x.tenant_id = p_tenant AND x.agent_id = coalesce(p ->> 'agent_id', x.agent_id);
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT array_agg(b.capability_token_id ORDER BY b.capability_token_id) INTO links FROM budget b WHERE b.capability_token_id = ANY (v_chain) AND b.dimension = 'llm_tokens';
  IF links IS NULL THEN RETURN jsonb_build_object('bounded', false, 'refused', NULL); END IF;

  INSERT INTO run_draw (tenant_id, run_id, capability_token_id, fence, place) VALUES (p_tenant, p ->> 'run_id', p ->> 'capability_token_id', (p ->> 'fence')::bigint, (p ->> 'place')::bigint) ON CONFLICT DO NOTHING;
  SELECT * INTO d FROM run_draw x WHERE x.tenant_id = p_tenant AND x.run_id = p ->> 'run_id' FOR UPDATE;
  -- Who lost the run, or was answered long ago, has no say.
  IF d.capability_token_id <> p ->> 'capability_token_id' OR ((p ->> 'fence')::bigint, (p ->> 'place')::bigint) < (d.fence, d.place) THEN
    RETURN jsonb_build_object('bounded', true, 'refused', jsonb_build_object('code', 'conflict'));
  END IF;
  v_used := greatest(d.settled, (p ->> 'used_total')::bigint);
  -- The same draw again.
  IF (d.fence, d.place) = ((p ->> 'fence')::bigint, (p ->> 'place')::bigint) AND d.settled = v_used AND d.reserved = v_take THEN RETURN jsonb_build_object('bounded', true, 'refused', NULL); END IF;

  IF v_take > 0 THEN
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

GRANT EXECUTE ON FUNCTION kernel.draw_tokens TO writ_kernel;
