-- The person on whose behalf a call is made, by a pseudonym (ADR 0138).
ALTER TABLE kernel.operation ADD COLUMN IF NOT EXISTS person text;

-- Requests of each person: a limit that the platform key sets.
ALTER TABLE kernel.tenant
  ADD COLUMN IF NOT EXISTS person_requests_per_second integer CHECK (person_requests_per_second BETWEEN 1 AND 1000000),
  ADD COLUMN IF NOT EXISTS person_request_burst integer CHECK (person_request_burst BETWEEN 1 AND 1000000);
GRANT UPDATE (person_requests_per_second, person_request_burst) ON kernel.tenant TO writ_kernel;
GRANT SELECT (person_requests_per_second, person_request_burst) ON kernel.tenant TO writ_kernel_worker;
