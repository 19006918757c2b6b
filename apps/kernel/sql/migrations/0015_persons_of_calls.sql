-- The person on whose behalf a call is made, by a pseudonym (ADR 0138).
ALTER TABLE kernel.operation ADD COLUMN IF NOT EXISTS person text;
