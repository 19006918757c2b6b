-- Returns the operation's row as its preview runs it: with the preview's attempt, lane, snapshot, digests, limits,
-- reservation, attempt credentials, permit and lease in place of the call's own.
CREATE OR REPLACE FUNCTION kernel.previewed(o kernel.operation, v kernel.preview) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp AS $$
  SELECT to_jsonb(o) || jsonb_build_object('attempt', v.attempt, 'lane', v.lane, 'state_snapshot_id', v.state_snapshot_id, 'action_digest', v.action_digest,
    'image_digest', v.image_digest, 'limits', v.limits, 'reserved', v.reserved, 'executor_id', v.executor_id, 'nonce', v.nonce,
    'permit_until', v.permit_until, 'lease_until', v.lease_until)
$$;
GRANT EXECUTE ON FUNCTION kernel.previewed(kernel.operation, kernel.preview) TO writ_kernel;
