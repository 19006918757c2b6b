-- What effects lost, so that a series of small ones is seen as what it is (ADR 0099). A row is written before the effect commits, and counts once its
-- operation did: so no row is missing where a process dies between the two.
CREATE TABLE kernel.effect_loss (
  operation_id text PRIMARY KEY,
  tenant_id    text NOT NULL REFERENCES kernel.tenant,
  -- a call without a session has its token's
  session_id   text NOT NULL,
  files        integer NOT NULL CHECK (files > 0),
  created_at   bigint NOT NULL DEFAULT kernel.now_ms()
);
CREATE INDEX effect_loss_by_session ON kernel.effect_loss (tenant_id, session_id, created_at);
ALTER TABLE kernel.effect_loss ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.effect_loss FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.effect_loss TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON kernel.effect_loss TO writ_kernel;

-- How many files the session's committed effects lost in the last p_window_ms, without this operation's.
CREATE FUNCTION kernel.lost_before(p_tenant text, p_session text, p_operation text, p_window_ms bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(sum(l.files), 0) FROM effect_loss l JOIN operation o ON o.operation_id = l.operation_id
    WHERE l.tenant_id = p_tenant AND l.session_id = p_session AND l.operation_id <> p_operation AND l.created_at > now_ms() - p_window_ms AND o.tx_outcome = 'committed');
END $$;

-- Writes what an effect is about to lose. Rows older than the longest window (libs/effect/src/settings.ts) go with it.
CREATE FUNCTION kernel.note_loss(p_tenant text, p_session text, p_operation text, p_files integer) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  DELETE FROM effect_loss l WHERE l.tenant_id = p_tenant AND l.session_id = p_session AND l.created_at < now_ms() - 86400000;
  INSERT INTO effect_loss (operation_id, tenant_id, session_id, files) VALUES (p_operation, p_tenant, p_session, p_files)
    ON CONFLICT (operation_id) DO UPDATE SET files = excluded.files, created_at = excluded.created_at;
END $$;
GRANT EXECUTE ON FUNCTION kernel.lost_before, kernel.note_loss TO writ_kernel;
