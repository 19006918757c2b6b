-- What rules of the policy redact of a call's result (ADR 0142). Null in rows from before: nothing.
ALTER TABLE kernel.operation ADD COLUMN IF NOT EXISTS redactions jsonb;
