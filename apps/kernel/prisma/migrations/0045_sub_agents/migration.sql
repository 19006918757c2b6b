-- A sub-agent's token is a child of its caller's, made of a committed call of agent.spawn. Set when the token is made, as all of a token but its revocation.
ALTER TABLE kernel.token ADD COLUMN spawned_by text COLLATE "C";
-- INVARIANT (one sub-agent a call): however often it is asked for, and by whom.
CREATE UNIQUE INDEX token_spawned ON kernel.token (spawned_by) WHERE spawned_by IS NOT NULL;
