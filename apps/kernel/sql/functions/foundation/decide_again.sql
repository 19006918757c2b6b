-- Raises WR001, which undoes the transaction: a fact that the caller decided on has changed since it was read.
-- p_what names the fact: one word, such as `rules` or `budget`.
-- The kernel then reads the facts and decides again (mustDecideAgain); how often is the caller's choice. The SQLSTATE
-- carries the meaning, and the word is for people. A fact that a caller must distinguish has its own SQLSTATE.
CREATE OR REPLACE FUNCTION kernel.decide_again(p_what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the facts moved: %', p_what USING ERRCODE = 'WR001';
END $$;
GRANT EXECUTE ON FUNCTION kernel.decide_again(text) TO writ_kernel;
