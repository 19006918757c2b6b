// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, Grant, JobListing, SessionApproval } from '@writ/contract';

/** A row of kernel.token as `to_jsonb` gives it. */
export interface TokenRow {
  readonly capability_token_id: string;
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly parent_id: string | null;
  readonly workspace_id: string | null;
  readonly grant_json: Grant;
  readonly issuer: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
  readonly session_approval?: SessionApproval | null;
  readonly spawned_by?: string | null;
  readonly job?: JobListing | null;
}

/** The token that the row stores. */
export function tokenOf(row: TokenRow): CapabilityToken {
  const {
    capability_token_id,
    tenant_id,
    agent_id,
    parent_id,
    workspace_id,
    grant_json,
    issuer,
    created_at,
    revoked_at,
    session_approval = null,
    spawned_by = null,
    job = null,
  } = row;
  const token = {
    v: 1,
    capability_token_id,
    tenant_id,
    agent_id,
    parent_id,
    workspace_id,
    grant: grant_json,
    issuer,
    created_at,
    revoked_at,
  } as const;
  return {
    ...token,
    ...(session_approval === null ? {} : { session_approval }),
    ...(spawned_by === null ? {} : { spawned_by }),
    ...(job === null ? {} : { job }),
  };
}
