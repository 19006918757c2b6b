-- Who counted what a held call used (ADR 0107).
-- IF NOT EXISTS here and below: development versions of before 0.1.0 made some of this already.
ALTER TABLE kernel.operation ADD COLUMN IF NOT EXISTS usage_counted_by text CHECK (usage_counted_by IN ('host', 'agent'));
