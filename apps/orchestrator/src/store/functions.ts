// SPDX-License-Identifier: Apache-2.0 The functions of the schema `orchestrator` that this process calls directly.
// `functions.medium.spec.ts` compares them with the database. `orchestrator.now_ms` is called only within larger
// statements.
import type { Id, TenantId } from '@writ/contract';
import { sqlFunction, sqlTypes } from '@writ/database';
import type { ChannelClaim } from './channels/channel-messages.ts';
import type { ProviderInForce } from './identities/identities.ts';
import type { Role } from './keys/roles.ts';
import type { OpenOffboarding } from './members/offboardings.ts';
import type { UnsettledVotes } from './members/suspensions.ts';
import type { RenewedRun, RunClaim } from './session-rows/sessions.ts';
import type { DeliveryClaim } from './webhooks/deliveries.ts';

const { bigint, bigintArray, bytea, integer, nullable, text, textArray } = sqlTypes;

/** The owner of a presented key, as stored in the database. */
export interface KeyOwner {
  readonly api_key_id: Id<'apiKey'>;
  readonly tenant_id: TenantId;
  readonly role: Role;
  readonly agent_id: string | null;
  readonly principal: string | null;
  readonly tools: readonly string[] | null;
  readonly scopes: readonly string[];
  readonly expires_at: number | null;
  readonly is_former: boolean;
  readonly bound_token: Id<'token'> | null;
}

/** What the database returns for a stored event. `kept_at` is in milliseconds since the epoch. */
export interface AppendedEvent {
  readonly kept_at: number;
  readonly cancelled: boolean;
  readonly revoked: boolean;
}

/** Waiting work over all tenants. `overdue_ms` is the age of the oldest message that is due. */
export interface WaitingWork {
  readonly runs: Readonly<Partial<Record<'queued' | 'running' | 'waiting', number>>>;
  readonly deliveries: number;
  readonly overdue_ms: number;
}

export const orchestratorSql = {
  authenticateCaller: sqlFunction<KeyOwner>()('orchestrator.authenticate_caller', { hash: bytea }, { returns: 'row' }),
  useKeys: sqlFunction()('orchestrator.use_keys', { keys: textArray }, { returns: 'nothing' }),

  registrationsInForce: sqlFunction<ProviderInForce>()(
    'orchestrator.registrations_in_force',
    { issuer: text },
    { returns: 'rows' },
  ),

  dueJobs: sqlFunction<{ tenant_id: TenantId; job_id: Id<'job'> }>()(
    'orchestrator.due_jobs',
    { rows: integer },
    { returns: 'rows' },
  ),

  claimRuns: sqlFunction<RunClaim>()(
    'orchestrator.claim_runs',
    { rows: integer, tenant_max: integer, lease_ms: bigint, models: textArray, gone_ms: nullable(bigint) },
    { returns: 'rows' },
  ),
  renewRuns: sqlFunction<RenewedRun>()(
    'orchestrator.renew_runs',
    { runs: textArray, fences: bigintArray, lease_ms: bigint },
    { returns: 'rows' },
  ),
  /** No row where the lease was lost. */
  appendEvent: sqlFunction<AppendedEvent>()(
    'orchestrator.append_event',
    {
      tenant: text,
      run: text,
      fence: bigint,
      seq: integer,
      event: bytea,
      state: text,
      stopped: nullable(text),
      fault: nullable(text),
      rounds: integer,
      input_tokens: bigint,
      cached_tokens: bigint,
      output_tokens: bigint,
      cost: nullable(bigint),
      lease_ms: bigint,
    },
    { returns: 'row' },
  ),
  forgetRuns: sqlFunction()('orchestrator.forget_runs', { erasure: text, round: integer }, { returns: 'nothing' }),

  gauges: sqlFunction<WaitingWork>()('orchestrator.gauges', { max: integer }, { returns: 'value' }),

  claimDeliveries: sqlFunction<DeliveryClaim>()(
    'orchestrator.claim_deliveries',
    { rows: integer, tenant_max: integer, claim_ms: bigint },
    { returns: 'rows' },
  ),
  /** How many it deleted. */
  pruneDeliveries: sqlFunction<number>()(
    'orchestrator.prune_deliveries',
    { older_ms: bigint, rows: integer },
    { returns: 'value' },
  ),
  claimMessagesOfKinds: sqlFunction<ChannelClaim>()(
    'orchestrator.claim_messages_of_kinds',
    { kinds: textArray, rows: integer, tenant_max: integer, claim_ms: bigint },
    { returns: 'rows' },
  ),
  /** How many it deleted. */
  pruneChannelMessages: sqlFunction<number>()(
    'orchestrator.prune_channel_messages',
    { older_ms: bigint, rows: integer },
    { returns: 'value' },
  ),
  openOffboardings: sqlFunction<OpenOffboarding>()(
    'orchestrator.open_offboardings',
    { rows: integer },
    { returns: 'rows' },
  ),
  unsettledVotes: sqlFunction<UnsettledVotes>()('orchestrator.unsettled_votes', { rows: integer }, { returns: 'rows' }),
  /** How many it deleted. */
  pruneSignIns: sqlFunction<number>()('orchestrator.prune_sign_ins', { rows: integer }, { returns: 'value' }),
};
