-- Keys of processes that run functions of the tenant (ADR 0136). Each names the tools whose calls it may take.
ALTER TABLE orchestrator.api_key DROP CONSTRAINT api_key_role_check;
ALTER TABLE orchestrator.api_key ADD CONSTRAINT api_key_role_check
  CHECK (role IN ('admin', 'operator', 'agent', 'auditor', 'worker'));
ALTER TABLE orchestrator.api_key ADD COLUMN tools text[] NOT NULL DEFAULT '{}';
ALTER TABLE orchestrator.api_key ADD CONSTRAINT api_key_of_worker CHECK ((role = 'worker') = (cardinality(tools) > 0));
