-- Returns waiting calls of all tenants that were decided for another version of this deployment and that executors have
-- left: they lacked the image or had another definition of the tool, were lost, or never redeemed the permit. Such a call
-- is bound to
--   - a sandbox image other than p_images. A call in an image that its tenant registered is not returned, also if that
--     image was removed since: no update of the deployment replaces it;
--   - or a definition of one of p_tools other than the one that p_digests has in the same place.
-- A call that no executor has left is not returned, since an executor of the previous version may still serve it.
--
-- While kernels of two versions run, each decides again what the other decided. So a decision that counts for the n-th
-- time is left alone until executors have left 2^n attempts of the call. A call of two days is decided again some
-- thirteen times at most, and the version that stays decides last.
--
-- Called as the worker's role. The tenant's role decides each call again, see kernel.replace_decision.
CREATE OR REPLACE FUNCTION kernel.waiting_decided_otherwise(p_images text[], p_tools text[], p_digests text[], p_rows integer)
RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT o.tenant_id, o.operation_id FROM operation o
  WHERE ((o.state = 'admitted' AND o.attempt > 0) OR (o.state = 'dispatched' AND o.attempt > 1))
    AND o.attempt - (CASE WHEN o.state = 'dispatched' THEN 1 ELSE 0 END) >= (1 << least(o.reruns, 30))
    AND ((o.image_digest <> ALL (p_images)
          AND NOT EXISTS (SELECT FROM image i WHERE i.tenant_id = o.tenant_id AND i.image_digest = o.image_digest))
      OR EXISTS (SELECT FROM unnest(p_tools, p_digests) AS own (tool_id, digest)
                 WHERE own.tool_id = o.tool_id AND own.digest <> o.tool_definition_digest))
  ORDER BY o.updated_at LIMIT p_rows
$$;
GRANT EXECUTE ON FUNCTION kernel.waiting_decided_otherwise(text[], text[], text[], integer) TO writ_kernel_worker;
