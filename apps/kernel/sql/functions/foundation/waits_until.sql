-- Returns until when a call waits for an executor: until its deadline, else for two days from its proposal, of which a
-- person may have used one. A call that no executor can run, for example for an image that none has, must not hold its
-- budget for ever. An index of operations uses it. apps/kernel/src/execution/sweep/sweeper.ts has the same number.
CREATE OR REPLACE FUNCTION kernel.waits_until(p_deadline bigint, p_created_at bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE
  AS $$ SELECT coalesce(p_deadline, p_created_at + 172800000) $$;
GRANT EXECUTE ON FUNCTION kernel.waits_until(bigint, bigint) TO writ_kernel, writ_kernel_worker;
