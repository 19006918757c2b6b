// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** A connection of some tenant. */
export interface FoundConnection {
  readonly tenant_id: string;
  readonly connection_id: string;
}

/** Work at an authorization server that an executor claimed. */
export interface ClaimedTokenWork extends FoundConnection {
  readonly claim: number;
  /** whether the claim before ran out: its executor was lost, or its report was */
  readonly lost: boolean;
}

/** Why a call has no token of its person, as kernel.mcp_token says. */
export type NoToken = 'waits' | 'unavailable' | 'no_connection' | 'no_person';

/** What kernel.mcp_token returns. */
export type FoundToken =
  | { readonly status: 'ready'; readonly connection_id: string; readonly subject: string; readonly sealed: string }
  | { readonly status: NoToken };

/** The functions of `sql/functions/mcp-connections` that the kernel calls. */
export const mcpConnectionsFunctions = {
  claimMcpToken: kernelFunction<ClaimedTokenWork | null>()(
    'kernel.claim_mcp_token',
    { executor: sqlTypes.text, lease_ms: sqlTypes.integer, each: sqlTypes.integer, without: sqlTypes.textArray },
    { returns: 'value' },
  ),
  endMcpConnections: kernelFunction<{ readonly end_mcp_connections: string }>()(
    'kernel.end_mcp_connections',
    { tenant: sqlTypes.text, connections: sqlTypes.textArray, problem: sqlTypes.nullable(sqlTypes.jsonb<object>()) },
    { returns: 'rows' },
  ),
  findMcpConsent: kernelFunction<FoundConnection | null>()(
    'kernel.find_mcp_consent',
    {
      handle: sqlTypes.nullable(sqlTypes.bytea),
      state: sqlTypes.nullable(sqlTypes.bytea),
      connection: sqlTypes.nullable(sqlTypes.text),
    },
    { returns: 'value' },
  ),
  forgetMcpPersons: kernelFunction<number>()(
    'kernel.forget_mcp_persons',
    { tenant: sqlTypes.text },
    { returns: 'value' },
  ),
  mcpConsent: kernelFunction<'connected' | 'no_connection' | 'no_person'>()(
    'kernel.mcp_consent',
    { tenant: sqlTypes.text, key: sqlTypes.text, resource: sqlTypes.text },
    { returns: 'value' },
  ),
  mcpToken: kernelFunction<FoundToken>()(
    'kernel.mcp_token',
    { tenant: sqlTypes.text, key: sqlTypes.nullable(sqlTypes.text), resource: sqlTypes.text },
    { returns: 'value' },
  ),
  mcpTokenOfCall: kernelFunction<FoundToken['status'] | null>()(
    'kernel.mcp_token_of_call',
    { tenant: sqlTypes.text, operation: sqlTypes.text },
    { returns: 'value' },
  ),
  renewMcpToken: kernelFunction<boolean>()(
    'kernel.renew_mcp_token',
    { tenant: sqlTypes.text, operation: sqlTypes.text },
    { returns: 'value' },
  ),
  sweepMcpConnections: kernelFunction<number>()(
    'kernel.sweep_mcp_connections',
    { rows: sqlTypes.integer },
    { returns: 'value' },
  ),
} as const;
