-- Called by the version before, beside kernel.waiting_in_replaced_images. Returns waiting calls of all tenants that are
-- bound to a sandbox image other than p_images and that an executor has
-- left once: it lacked the image, it was lost, or it never redeemed the permit. A call that no executor has left is not
-- returned, since an executor of the previous version may still serve it. Neither is one that was sent back
-- p_reruns_max times.
--
-- Called as the worker's role. The tenant's role decides each call again, see kernel.replace_image.
CREATE OR REPLACE FUNCTION kernel.waiting_in_other_images(p_images text[], p_reruns_max integer, p_rows integer)
RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT o.tenant_id, o.operation_id FROM operation o
  WHERE o.lane = 'sandboxed' AND ((o.state = 'admitted' AND o.attempt > 0) OR (o.state = 'dispatched' AND o.attempt > 1))
    AND o.image_digest <> ALL (p_images) AND o.reruns < p_reruns_max
  ORDER BY o.updated_at LIMIT p_rows
$$;
GRANT EXECUTE ON FUNCTION kernel.waiting_in_other_images(text[], integer, integer) TO writ_kernel_worker;
