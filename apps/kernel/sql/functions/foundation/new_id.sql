-- Returns a new id in the format of libs/contract: `<prefix>_` and 26 characters of Crockford's base32. The bytes are a
-- UUIDv7 (RFC 9562) by this database's clock.
CREATE OR REPLACE FUNCTION kernel.new_id(p_prefix text) RETURNS text
LANGUAGE sql VOLATILE SET search_path = kernel, pg_temp AS $$
  WITH random AS (SELECT uuid_send(gen_random_uuid()) AS r, int8send(now_ms()) AS t),
  bytes AS (SELECT set_byte(substring(t FROM 3) || substring(r FROM 7), 6, (get_byte(r, 6) & 15) | 112) AS b FROM random),
  -- 128 bits in groups of five: two zeros in front make 130.
  bits AS (SELECT B'00' || ('x' || encode(b, 'hex'))::bit(128) AS v FROM bytes)
  SELECT p_prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', substring(v FROM n * 5 + 1 FOR 5)::bit(5)::integer + 1, 1), '' ORDER BY n)
  FROM bits, generate_series(0, 25) n
$$;
GRANT EXECUTE ON FUNCTION kernel.new_id(text) TO writ_kernel;
