-- Gives an executor the image that has waited longest: since it was registered, given back, or lost with its executor.
-- A tenant has one image in the making at a time, so that no tenant keeps the others waiting. Returns {image_id,
-- tenant_id, definition, digest, claim, lost}, or null where none waits. `lost` counts the executors that let their
-- claim of it expire. No image of a closed tenant is made. The definition is base64, whose lines translate() joins.
--
-- Called as the worker's role.
CREATE OR REPLACE FUNCTION kernel.claim_image(p_executor text, p_lease_ms integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t   bigint;
  row image;
BEGIN
  -- Claims wait for each other: one that isn't committed is not seen, and its tenant would get a second one.
  PERFORM pg_advisory_xact_lock(hashtextextended('writ.image_claims', 0));
  t := now_ms();
  SELECT * INTO row FROM image i
  WHERE i.removed_at IS NULL AND i.state IN ('waiting', 'building') AND coalesce(i.claim_until, 0) < t
    AND NOT EXISTS (SELECT FROM image o WHERE o.tenant_id = i.tenant_id AND o.image_id <> i.image_id
      AND o.removed_at IS NULL AND o.state = 'building' AND o.claim_until >= t)
    AND EXISTS (SELECT FROM tenant n WHERE n.tenant_id = i.tenant_id AND n.closed_at IS NULL)
  ORDER BY coalesce(i.claim_until, i.created_at) LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE image i SET state = 'building', executor_id = p_executor, claim = i.claim + 1, claim_until = t + p_lease_ms,
      lost = i.lost + (i.state = 'building')::integer, updated_at = t
    WHERE i.image_id = row.image_id RETURNING * INTO row;
  RETURN jsonb_build_object('image_id', row.image_id, 'tenant_id', row.tenant_id,
    'definition', translate(encode(row.definition, 'base64'), E'\n', ''), 'digest', row.digest, 'claim', row.claim,
    'lost', row.lost);
END $$;
GRANT EXECUTE ON FUNCTION kernel.claim_image(text, integer) TO writ_kernel_worker;
