-- What a session did in the last hour is looked for in indexes by key, and one plan serves all parameters. Left to itself the server compares, on each connection, what five plans for given
-- parameters were estimated to cost with what a general one is, and where the statistics happened to make the special ones look cheaper it went on planning at every call: two fifths of an
-- admission. It is said for this function alone: of a statement that counts up to a bound, the general plan is a bad one (0039 said it for all that kernel.admit calls).
ALTER FUNCTION kernel.session_past(text, text, text, jsonb, bigint) SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION kernel.admit(text, jsonb, bytea, bytea, bytea) RESET plan_cache_mode;
