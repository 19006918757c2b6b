-- The statements of a call's path find rows by key, and one plan serves all their parameters. Left to itself the server compares, on each connection, what five plans for given parameters
-- were estimated to cost with what a general one is, and where the tables' statistics happened to make the special ones look cheaper it went on planning at every call: two fifths of an
-- admission. Whoever replaces one of these functions says it again: CREATE OR REPLACE forgets settings. A spec looks.
DO $$
DECLARE f regprocedure;
BEGIN
  FOR f IN SELECT p.oid FROM pg_proc p
           WHERE p.pronamespace = 'kernel'::regnamespace AND p.proname IN ('facts', 'admit', 'dispatch', 'redeem', 'attempt_facts', 'finish') LOOP
    EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', f);
  END LOOP;
END $$;
