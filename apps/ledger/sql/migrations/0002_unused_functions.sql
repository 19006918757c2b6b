-- No version calls these any more.
DROP FUNCTION IF EXISTS ledger.write_batch(
  text[], text[], bigint[], bytea[], bigint[], bytea[], bytea[],
  text[], bigint[], text[], text[], text[], text[], text[], bytea[], text[], bytea[], bigint[],
  text[], smallint[], bigint[], smallint[], text[], bytea[]);
DROP FUNCTION IF EXISTS ledger.visible(text);
DELETE FROM ledger.applied_function WHERE name IN ('write_batch', 'visible');
