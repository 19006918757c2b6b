-- Returns everything that an admission is decided on, read in one round trip. It takes no locks: whatever writes the
-- decision asserts the facts under its own locks.
--
-- p_key: the idempotency key, or null. p_rows_max: how far records in the outbox are counted. p_session: the session
-- that the call counts for. p_needs: as kernel.session_history takes it, or null. p_past: as kernel.session_past takes
-- it, or null. p_proposed_by: the API key that proposes the call. p_person: the person who does, as API
-- keys name them, or the id of a key without one.
--
-- Returns:
--   now            the time, in milliseconds
--   existing       the row of p_operation, or null
--   claim          {fingerprint, capability_token_id, same_subject, operation} of the call that has the idempotency key,
--                  or null. A call of the same tool comes first, since an earlier version let one call of each tool claim
--                  a key. `same_subject`: whether the credentials of both calls are of one person, as
--                  kernel.credential_subject has it; null where either is of nobody.
--   chain          the rows of the token's chain, leaf first, each with `budgets` {dimension: {reserved, used}}. It is
--                  empty where the token isn't there or belongs to another tenant.
--   agent          whether the agent exists
--   head           the workspace's head snapshot, or null
--   frozen         the freeze that covers the call, or null
--   rules          as kernel.rules_in_force returns them
--   past           as kernel.session_past returns it, or null
--   queue_full     whether the tenant's queue has no room for one more call
--   background_queue_full
--                  the same for a call that isn't interactive
--   outbox_oldest  when the oldest record of the tenant was written that waits for the ledger, or null
--   outbox_rows    how many records of the tenant wait, up to p_rows_max + 1. It is 0 where none waits for more than a
--                  second, since not many can gather within that time.
--   key_revoked    whether the API key was revoked
--   closed         whether the tenant is closed
--   budgets        as kernel.call_budgets returns them
--
-- The claim is found by itself, and its operation by its key: of a join with two ways to a claim the planner may think
-- that it reads all calls. It is found last, since each statement sees what has committed by then: whatever the call of
-- the claim reserved is seen with the claim, so that a replay isn't refused for it. `existing` is read after the claim:
-- a request that was sent again sees its own call as soon as it sees that call's claim, and isn't taken for a replay.
--
-- The oldest record is read in the order of its index, with bitmap scans off. Nearly every row of the outbox is deleted
-- within a second, so the planner's statistics of it are never true. A bitmap would collect all rows since the last
-- vacuum. A scan in order marks deleted entries and skips them the next time.
CREATE OR REPLACE FUNCTION kernel.facts_of_call(
  p_tenant text, p_operation text, p_agent text, p_tool text, p_key text, p_token text, p_workspace text,
  p_rows_max integer, p_session text, p_needs jsonb, p_past jsonb, p_proposed_by text, p_person text
) RETURNS jsonb LANGUAGE plpgsql
SET search_path = kernel, pg_temp SET enable_bitmapscan = off AS $$
DECLARE
  v_chain text[];
  v_oldest bigint;
  v_claim record;
  v_facts jsonb;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT x.created_at INTO v_oldest FROM outbox x ORDER BY x.created_at LIMIT 1;
  SELECT t.chain INTO v_chain FROM token t WHERE t.capability_token_id = p_token;
  v_facts := jsonb_build_object(
    'now', now_ms(),
    'chain', coalesce((
      SELECT jsonb_agg(to_jsonb(t) || jsonb_build_object('budgets', (
          SELECT coalesce(jsonb_object_agg(b.dimension, jsonb_build_object('reserved', b.reserved, 'used', b.used)), '{}')
          FROM budget b WHERE b.capability_token_id = t.capability_token_id))
        ORDER BY array_position(v_chain, t.capability_token_id) DESC)
      FROM token t WHERE t.capability_token_id = ANY (v_chain)), '[]'),
    'agent', EXISTS (SELECT 1 FROM agent a WHERE a.agent_id = p_agent),
    'head', (SELECT w.head_snapshot_id FROM workspace w WHERE w.workspace_id = p_workspace),
    'frozen', freeze_on(p_tenant, p_agent, p_tool, p_token),
    'rules', rules_in_force(p_tenant, p_session, p_workspace, p_needs),
    'past', CASE WHEN jsonb_typeof(p_past) = 'object' THEN session_past(p_tenant, p_session, p_operation, p_past) END,
    'queue_full', queue_is_full(p_tenant),
    'background_queue_full', background_queue_is_full(p_tenant),
    'outbox_oldest', v_oldest,
    -- Records that are on their way within a second needn't be counted: that many can't gather in it.
    'outbox_rows', CASE WHEN v_oldest < now_ms() - 1000 THEN (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT p_rows_max + 1) x) ELSE 0 END,
    'key_revoked', EXISTS (SELECT FROM revoked_key r WHERE r.tenant_id = p_tenant AND r.api_key_id = p_proposed_by),
    'closed', (SELECT n.closed_at IS NOT NULL FROM tenant n WHERE n.tenant_id = p_tenant),
    'budgets', call_budgets(p_tenant, p_agent, p_person, p_proposed_by));
  SELECT i.* INTO v_claim
  FROM (
    SELECT 1 AS place, t.* FROM idempotency t
    WHERE t.tenant_id = p_tenant AND t.agent_id = p_agent AND t.tool_id = p_tool AND t.idempotency_key = p_key
    UNION ALL
    SELECT 2, t.* FROM idempotency t
    WHERE t.tenant_id = p_tenant AND t.agent_id = p_agent AND t.idempotency_key = p_key AND NOT t.tool_scoped
  ) i
  ORDER BY i.place LIMIT 1;
  RETURN v_facts || jsonb_build_object(
    'existing', (SELECT to_jsonb(o) FROM operation o WHERE o.operation_id = p_operation),
    'claim', (
      SELECT jsonb_build_object('fingerprint', encode(v_claim.args_fingerprint, 'hex'), 'capability_token_id', v_claim.capability_token_id,
        'same_subject', (SELECT a.subject_hash = b.subject_hash FROM credential_subject a, credential_subject b
          WHERE a.tenant_id = p_tenant AND a.api_key_id = o.proposed_by AND b.tenant_id = p_tenant AND b.api_key_id = p_proposed_by),
        'operation', to_jsonb(o))
      FROM operation o WHERE o.operation_id = v_claim.operation_id));
END $$;
GRANT EXECUTE ON FUNCTION kernel.facts_of_call(text, text, text, text, text, text, text, integer, text, jsonb, jsonb, text, text)
  TO writ_kernel;
