-- What appends to a log or reads its edge goes by the primary keys, whatever the statistics say. A plan is made at a connection's first batches, when tables are small or were never looked at, and is
-- kept: one that gathered all roots of a log and sorted them for the newest cost 70 µs a record after a minute under load, and more with each batch, until the tables were next analysed.
-- Without compiling: none of these statements is worth it, and a plan that can't be without what is off here is costed as if it were.
DO $$
DECLARE f text;
BEGIN
  FOREACH f IN ARRAY ARRAY['open_batch', 'write_batch', 'keep_checkpoints', 'open_inclusion'] LOOP
    EXECUTE format('ALTER FUNCTION ledger.%I SET enable_bitmapscan = off', f);
    EXECUTE format('ALTER FUNCTION ledger.%I SET enable_seqscan = off', f);
    EXECUTE format('ALTER FUNCTION ledger.%I SET jit = off', f);
  END LOOP;
END $$;
