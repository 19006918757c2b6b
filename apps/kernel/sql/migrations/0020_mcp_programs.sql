-- MCP servers that are programs (ADR 0143): an executor without containers lists none of them.
ALTER TABLE kernel.mcp_server
  ADD COLUMN transport text DEFAULT 'http' NOT NULL CHECK (transport IN ('http', 'stdio'));
GRANT UPDATE (transport) ON kernel.mcp_server TO writ_kernel;
