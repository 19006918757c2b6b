-- Raises WR003 where p_after exceeds both the limit p_max and p_before. Without a limit (null) it raises nothing.
-- The message is shown to callers: p_what names who holds it, p_limit the limit, p_unit what is counted.
CREATE OR REPLACE FUNCTION kernel.verify_room(
  p_what text, p_limit text, p_unit text, p_max bigint, p_before numeric, p_after numeric
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF p_after > p_max AND p_after > p_before THEN
    RAISE EXCEPTION '% would hold % %, more than its `%` of %', p_what, p_after, p_unit, p_limit, p_max USING ERRCODE = 'WR003';
  END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.verify_room(text, text, text, bigint, numeric, numeric) TO writ_kernel;
