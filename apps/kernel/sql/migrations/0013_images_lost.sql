-- Executors that were lost while they made an image ready are counted apart from its claims: one that gives its claim
-- back was not lost. A constant default rewrites no row.
ALTER TABLE kernel.image ADD COLUMN lost integer NOT NULL DEFAULT 0;
GRANT UPDATE (lost) ON kernel.image TO writ_kernel_worker;
