-- INVARIANT (append-only): rows of the log and of its index are never updated, deleted or truncated. Each table has a
-- trigger for rows and one for TRUNCATE. Both call ledger.refuse_change, which raises 42501 (insufficient_privilege).

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.leaf
  FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.leaf
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.tile
  FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.tile
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.root
  FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.root
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.checkpoint
  FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.checkpoint
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.cosignature
  FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.cosignature
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

-- The partitions inherit the trigger for rows, but not the one for TRUNCATE.
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.record_index
  FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index_0
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index_1
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index_2
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index_3
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index_4
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index_5
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index_6
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.record_index_7
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
