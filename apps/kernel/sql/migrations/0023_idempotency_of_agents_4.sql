-- It stops readers, too. In the transaction before, it would wait for calls that read and then wait for its lock.
ALTER TABLE kernel.idempotency FORCE ROW LEVEL SECURITY;
