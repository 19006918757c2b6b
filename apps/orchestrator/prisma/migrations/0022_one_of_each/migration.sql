-- An earlier form that no version calls any more.
DROP FUNCTION orchestrator.claim_runs(integer, integer, bigint);
