-- Returns a tenant's signed sandbox definition, with the key that signed it: {definition, statement, keyid, sig,
-- public_key, revoked}, bytes as base64. Null where there is none of that name, or where it was removed.
-- The kernel verifies the signature before it decides about a script (mk8.run) or hands the definition out.
-- encode() breaks base64 into lines, which translate() joins.
CREATE OR REPLACE FUNCTION kernel.sandbox_for(p_tenant text, p_name text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT jsonb_build_object(
            'definition', translate(encode(s.definition, 'base64'), E'\n', ''), 'statement', translate(encode(s.statement, 'base64'), E'\n', ''), 'keyid', s.keyid,
            'sig', translate(encode(s.sig, 'base64'), E'\n', ''), 'public_key', translate(encode(k.public_key, 'base64'), E'\n', ''), 'revoked', k.revoked_at IS NOT NULL)
          FROM sandbox s LEFT JOIN registrar_key k ON k.tenant_id = s.tenant_id AND k.keyid = s.keyid
          WHERE s.tenant_id = p_tenant AND s.name = p_name AND s.definition IS NOT NULL);
END $$;
GRANT EXECUTE ON FUNCTION kernel.sandbox_for(text, text) TO writ_kernel;
