-- The trigger function of every table: it refuses UPDATE, DELETE and TRUNCATE (triggers.sql). It raises
-- insufficient_privilege (42501), whoever changes rows. No process does; the ledger's role lacks the rights anyway.
-- INVARIANT (append-only): see tables/01-log.sql.
CREATE OR REPLACE FUNCTION ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN RAISE EXCEPTION 'the log is append-only: % of ledger.% is refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege'; END $$;
