// SPDX-License-Identifier: Apache-2.0
import { DEPLOYMENT_LOG, type Caller, type TenantId } from '@writ/contract';
import { currentTrace } from '@writ/telemetry';
import { contentDigest } from '../../evidence/changes/index.ts';
import { composeRecord, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { DEPLOYMENT, type FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** The owner of a freeze: a tenant or the deployment. */
export interface Owner {
  /** the tenant of the rows, and of the lock on the rules */
  readonly tenant: string;
  /** the log that has its records */
  readonly log: TenantId;
  readonly actor: string;
}

/** The platform key belongs to no tenant. Its changes are recorded in the deployment's own log. */
export function ownerOf(caller: Caller | null): Owner {
  if (caller === null) return { tenant: DEPLOYMENT, log: DEPLOYMENT_LOG, actor: 'platform' };
  return { tenant: caller.tenant_id, log: caller.tenant_id, actor: caller.api_key_id };
}

/** The call by which an agent changes a freeze. Its record names the key that proposed the call, and the call. */
export type FreezingCall = Pick<OperationRow, 'operation_id' | 'tenant_id' | 'proposed_by'>;

/** The owner of a freeze that an agent places or lifts. */
export const ownerByCall = ({ tenant_id, proposed_by }: FreezingCall): Owner => ({
  tenant: tenant_id,
  log: tenant_id as TenantId,
  actor: proposed_by ?? 'kernel',
});

/** The fields of a freeze that its record contains as a digest. The reason itself is not in the log. */
export type Frozen = Pick<FreezeRow, 'freeze_id' | 'scope' | 'subject' | 'reason' | 'expires_at'>;

/**
 * The signed record of a change of a freeze. `now` is the database's clock, in milliseconds.
 * @param operationId the call that changes it, where one does
 */
export function freezeRecord(
  sealer: RecordSealer,
  owner: Owner,
  verb: string,
  { freeze_id, scope, subject, reason, expires_at }: Frozen,
  now: number,
  operationId?: string,
): SealedRecord {
  return sealer.seal(
    composeRecord({
      ...currentTrace(),
      kind: 'change',
      tenant_id: owner.log,
      recorded_at: now,
      actor: owner.actor,
      ...(operationId === undefined ? {} : { operation_id: operationId }),
      ...(scope === 'agent' ? { agent_id: subject } : {}),
      ...(scope === 'tool' ? { tool_id: subject } : {}),
      change: { verb, subject: freeze_id, digest: contentDigest({ freeze_id, scope, subject, reason, expires_at }) },
    }),
    { actionDigest: null, newRoot: null },
  );
}
