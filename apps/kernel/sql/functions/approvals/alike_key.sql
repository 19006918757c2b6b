-- Returns the key of calls that are alike to people: of one tool, agent and autonomy mode, and held for the same reasons,
-- by their codes in any order. 128 bits of SHA-256, hex: no tenant can make unlike calls have the same.
CREATE OR REPLACE FUNCTION kernel.alike_key(p_tool text, p_agent text, p_mode text, p_reasons jsonb) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp AS $$
  SELECT left(encode(sha256(convert_to(jsonb_build_array(p_tool, p_agent, p_mode,
    ARRAY(SELECT DISTINCT (r ->> 'code') COLLATE "C" FROM jsonb_array_elements(p_reasons) AS r ORDER BY 1))::text, 'UTF8')), 'hex'), 32);
$$;
GRANT EXECUTE ON FUNCTION kernel.alike_key(text, text, text, jsonb) TO writ_kernel;
