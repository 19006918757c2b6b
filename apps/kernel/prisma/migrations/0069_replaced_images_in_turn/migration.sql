-- Commands that wait for an image which this kernel doesn't choose, and that executors left. While kernels of two versions run, each decides what the other
-- decided once more. A count that bounds this strands the call where the version that goes decided last. So a decision that stands for the n-th time is left
-- alone until executors have left 2^n attempts of the call: a call of two days is decided anew some thirteen times at most, and whoever stays decides last.
-- kernel.waiting_in_other_images stays for the version before.
CREATE FUNCTION kernel.waiting_in_replaced_images(p_images text[], p_rows integer) RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT o.tenant_id, o.operation_id FROM operation o
  WHERE o.lane = 'sandboxed' AND ((o.state = 'admitted' AND o.attempt > 0) OR (o.state = 'dispatched' AND o.attempt > 1))
    AND o.image_digest <> ALL (p_images)
    AND o.attempt - (CASE WHEN o.state = 'dispatched' THEN 1 ELSE 0 END) >= (1 << least(o.reruns, 30))
  ORDER BY o.updated_at LIMIT p_rows
$$;
GRANT EXECUTE ON FUNCTION kernel.waiting_in_replaced_images TO writ_kernel_worker;
