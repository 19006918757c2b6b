-- What the reply that a run waits for may cost, in millionths of the currency: reserved before a model is asked, settled with the event that keeps the reply.
ALTER TABLE orchestrator.run ADD COLUMN reserved bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0);
GRANT UPDATE (reserved) ON orchestrator.run TO writ_orchestrator;
CREATE INDEX run_ended_at ON orchestrator.run (tenant_id, ended_at);

-- What runs took whose session was deleted: counts alone, so that deleting what was said neither hides nor frees what was spent.
CREATE TABLE orchestrator.spent (
  run_id        text COLLATE "C" NOT NULL,
  tenant_id     text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  session_id    text COLLATE "C" NOT NULL,
  agent_id      text COLLATE "C" NOT NULL,
  model         text NOT NULL,
  input_tokens  bigint NOT NULL,
  cached_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost          bigint,
  created_at    bigint NOT NULL,
  ended_at      bigint,
  CONSTRAINT spent_pkey PRIMARY KEY (run_id)
);
CREATE INDEX spent_made ON orchestrator.spent (tenant_id, created_at DESC);
ALTER TABLE orchestrator.spent ENABLE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.spent FORCE ROW LEVEL SECURITY;
CREATE POLICY spent_tenant ON orchestrator.spent TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
GRANT SELECT, INSERT ON orchestrator.spent TO writ_orchestrator;
