-- Shells of sessions and shells of registered containers have name spaces of their own (kernel.shell_key). A shell that
-- lives goes on under its new name. Kernels of the version before read the table through the schema's functions alone.
ALTER TABLE kernel.shell NO FORCE ROW LEVEL SECURITY;
UPDATE kernel.shell SET session_id = 'session:' || session_id;
ALTER TABLE kernel.shell FORCE ROW LEVEL SECURITY;
