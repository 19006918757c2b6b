-- Returns the ids of up to p_rows jobs of all tenants that are due or can start, those due longest first. The caller
-- then locks each job within its tenant and decides whether it starts.
--
-- It includes a job whose due_at has passed. It also includes a job with a queued start that may begin: no run that it
-- started is in progress, or the job allows overlap. It runs as the owner, because it reads rows of all tenants. Raises
-- no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.due_jobs(p_rows integer)
RETURNS TABLE (tenant_id text, job_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  SELECT d.tenant_id, d.job_id FROM (
    SELECT j.tenant_id, j.job_id, j.due_at FROM job j WHERE j.due_at <= now_ms()
    UNION
    SELECT s.tenant_id, s.job_id, s.due_at FROM job_start s JOIN job j ON j.job_id = s.job_id
    WHERE s.state = 'queued' AND (j.overlap = 'allow' OR NOT EXISTS (
      SELECT 1 FROM run r JOIN job_start b ON b.run_id = r.run_id WHERE r.state <> 'ended' AND b.job_id = s.job_id))) d
  GROUP BY d.tenant_id, d.job_id ORDER BY min(d.due_at) LIMIT p_rows
$$;
GRANT EXECUTE ON FUNCTION orchestrator.due_jobs(integer) TO writ_orchestrator;
