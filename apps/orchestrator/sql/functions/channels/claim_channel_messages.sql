-- Claims due messages in channels of Slack: the call of versions that know no other kind, while they run beside newer
-- ones. See orchestrator.claim_messages_of_kinds. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.claim_channel_messages(p_rows integer, p_tenant_max integer, p_claim_ms bigint)
RETURNS TABLE (tenant_id text, channel_id text, approval_id text, claim bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT * FROM claim_messages_of_kinds(ARRAY['slack'], p_rows, p_tenant_max, p_claim_ms);
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.claim_channel_messages(integer, integer, bigint) TO writ_orchestrator;
