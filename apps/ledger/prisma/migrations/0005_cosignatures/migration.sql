-- What witnesses said of checkpoints (C2SP tlog-cosignature): a row for each witness and checkpoint, verified before it is stored. Append-only as the log is.
CREATE TABLE ledger.cosignature (
  log_id      text NOT NULL,
  tree_size   bigint NOT NULL,
  tenant_id   text NOT NULL,
  -- the witness's key: its name and the hash that tells its keys apart
  witness     text NOT NULL,
  key_hash    text NOT NULL,
  -- the line as it stands below the note, with its newline
  line        text NOT NULL,
  PRIMARY KEY (log_id, tree_size, witness, key_hash),
  FOREIGN KEY (log_id, tree_size) REFERENCES ledger.checkpoint
);
ALTER TABLE ledger.cosignature ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.cosignature FORCE ROW LEVEL SECURITY;
CREATE POLICY named_tenants ON ledger.cosignature TO writ_ledger
  USING (tenant_id IN (SELECT ledger.named_tenants())) WITH CHECK (tenant_id IN (SELECT ledger.named_tenants()));
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.cosignature FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.cosignature FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
GRANT SELECT, INSERT ON ledger.cosignature TO writ_ledger;
