-- Returns waiting calls of all tenants that are bound to a sandbox image other than p_images and that executors have
-- left: they lacked the image, were lost, or never redeemed the permit. A call that no executor has left is not
-- returned, since an executor of the previous version may still serve it. Nor is a call in an image that its tenant
-- registered, also if that image was removed since: no update of the deployment replaces it.
--
-- While kernels of two versions run, each decides again what the other decided. So a decision that counts for the n-th
-- time is left alone until executors have left 2^n attempts of the call. A call of two days is decided again some
-- thirteen times at most, and the version that stays decides last.
--
-- For kernels of the previous version: see kernel.waiting_decided_otherwise. Called as the worker's role. The tenant's role decides each call again, see kernel.replace_image.
CREATE OR REPLACE FUNCTION kernel.waiting_in_replaced_images(p_images text[], p_rows integer)
RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT o.tenant_id, o.operation_id FROM operation o
  WHERE o.lane = 'sandboxed' AND ((o.state = 'admitted' AND o.attempt > 0) OR (o.state = 'dispatched' AND o.attempt > 1))
    AND o.image_digest <> ALL (p_images)
    AND o.attempt - (CASE WHEN o.state = 'dispatched' THEN 1 ELSE 0 END) >= (1 << least(o.reruns, 30))
    AND NOT EXISTS (SELECT FROM image i WHERE i.tenant_id = o.tenant_id AND i.image_digest = o.image_digest)
  ORDER BY o.updated_at LIMIT p_rows
$$;
GRANT EXECUTE ON FUNCTION kernel.waiting_in_replaced_images(text[], integer) TO writ_kernel_worker;
