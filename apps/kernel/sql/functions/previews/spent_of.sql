-- Returns what a preview counts as having used where its usage was not reported: the time since it was redeemed.
-- It counts as wall and as processor time, because a container has one processor. Nothing is used before redemption.
CREATE OR REPLACE FUNCTION kernel.spent_of(v kernel.preview, p_now bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN v.state = 'performing' THEN jsonb_build_object('wall_ms', p_now - v.started_at, 'cpu_ms', p_now - v.started_at) ELSE '{}' END
$$;
GRANT EXECUTE ON FUNCTION kernel.spent_of(kernel.preview, bigint) TO writ_kernel;
