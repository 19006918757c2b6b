-- Returns why the chain of a token can't be used any more: `token.revoked`, `token.expired`, or null where it can. Also
-- returns null where the token isn't there, so the caller passes the token of an operation that was admitted.
--
-- p_now: milliseconds, for the expiry.
CREATE OR REPLACE FUNCTION kernel.chain_fault(p_token text, p_now bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN bool_or(k.revoked_at IS NOT NULL) THEN 'token.revoked'
                WHEN bool_or((k.grant_json ->> 'expires_at')::bigint <= p_now) THEN 'token.expired' END
    FROM token l JOIN token k ON k.capability_token_id = ANY (l.chain) WHERE l.capability_token_id = p_token);
END $$;
GRANT EXECUTE ON FUNCTION kernel.chain_fault(text, bigint) TO writ_kernel;
