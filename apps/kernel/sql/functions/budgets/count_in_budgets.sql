-- Counts a call that is being admitted in each budget of calls that bounds it, in the present period. The count is
-- part of the transaction that admits the call: what is rolled back was not counted.
--
-- Raises WR001 `period budget` where a budget has nothing left. The caller reads the facts and decides again: then it
-- sees that. It also raises it where what is left is in parts that other transactions have locked, which is nothing to
-- refuse a call for.
--
-- A call takes one of a part that no transaction has locked, so it waits for nobody. Only where no such part has
-- anything left, it takes more of the bound under one lock of the tenant, which it holds until COMMIT. It takes a
-- sixteenth of what is left, so few calls come there, until little is left. Then it collects what other parts have.
--
-- Locks: one part of each budget, without waiting; perhaps the tenant's budgets (an advisory lock). The caller holds
-- the tenant's rules, so no budget changes meanwhile.
CREATE OR REPLACE FUNCTION kernel.count_in_budgets(o kernel.operation) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t bigint := now_ms();
  b period_budget;
  v_start bigint;
  v_part integer;
  v_grant bigint;
BEGIN
  FOR b IN SELECT * FROM period_budgets_of(o.tenant_id, 'calls', NULL, o.agent_id, coalesce(o.proposers[1], o.proposed_by), origin_of_key(o.tenant_id, o.proposed_by)) LOOP
    v_start := period_start(b.period, t);
    UPDATE period_use u SET used = u.used + 1 WHERE u.budget_id = b.budget_id AND u.starts_at = v_start AND u.part = (
      SELECT f.part FROM period_use f WHERE f.budget_id = b.budget_id AND f.starts_at = v_start AND f.used < f.granted
      ORDER BY f.part LIMIT 1 FOR UPDATE SKIP LOCKED);
    CONTINUE WHEN FOUND;

    PERFORM pg_advisory_xact_lock(hashtextextended('writ.budgets.' || o.tenant_id, 0));
    v_grant := b.bound - (SELECT coalesce(sum(u.granted), 0) FROM period_use u WHERE u.budget_id = b.budget_id AND u.starts_at = v_start);
    IF v_grant > 0 THEN
      v_grant := least(64, greatest(1, v_grant / 16));
    ELSE
      WITH spare AS (
        SELECT f.part, f.granted - f.used AS amount FROM period_use f
        WHERE f.budget_id = b.budget_id AND f.starts_at = v_start AND f.used < f.granted FOR UPDATE SKIP LOCKED
      ), taken AS (
        UPDATE period_use u SET granted = u.used FROM spare s
        WHERE u.budget_id = b.budget_id AND u.starts_at = v_start AND u.part = s.part RETURNING s.amount
      )
      SELECT sum(amount) INTO v_grant FROM taken;
      IF v_grant IS NULL THEN PERFORM decide_again('period budget'); END IF;
    END IF;
    SELECT f.part INTO v_part FROM period_use f WHERE f.budget_id = b.budget_id AND f.starts_at = v_start
      ORDER BY f.part LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
      UPDATE period_use u SET granted = u.granted + v_grant, used = u.used + 1
        WHERE u.budget_id = b.budget_id AND u.starts_at = v_start AND u.part = v_part;
    ELSE
      INSERT INTO period_use (budget_id, starts_at, part, tenant_id, granted, used)
      SELECT b.budget_id, v_start, coalesce(max(u.part) + 1, 0), b.tenant_id, v_grant, 1
        FROM period_use u WHERE u.budget_id = b.budget_id AND u.starts_at = v_start;
      -- Periods that ended more than a year ago.
      DELETE FROM period_use u WHERE u.budget_id = b.budget_id AND u.starts_at < v_start - 32000000000;
    END IF;
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION kernel.count_in_budgets(kernel.operation) TO writ_kernel;
