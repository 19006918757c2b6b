-- A call names registered resources, and its row has their ids.
ALTER TABLE kernel.operation ADD COLUMN IF NOT EXISTS resource_ids text[] NOT NULL DEFAULT '{}';
