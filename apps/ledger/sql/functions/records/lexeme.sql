-- Quotes a text as one lexeme of a tsquery, whatever characters it has.
CREATE OR REPLACE FUNCTION ledger.lexeme(p_text text) RETURNS text LANGUAGE sql IMMUTABLE
  AS $$ SELECT '''' || replace(replace(p_text, '\', '\\'), '''', '''''') || '''' $$;
