-- A form of the function that no version calls any more.
DROP FUNCTION IF EXISTS orchestrator.claim_runs(integer, integer, bigint);
