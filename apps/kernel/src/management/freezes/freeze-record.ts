// SPDX-License-Identifier: Apache-2.0
import { DEPLOYMENT_LOG, type Caller, type TenantId } from '@writ/contract';
import { currentTrace } from '@writ/telemetry';
import { contentDigest } from '../../evidence/changes/index.ts';
import { composeRecord, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { DEPLOYMENT, type FreezeRow } from '../../foundation/rows/freeze-row.ts';

/** Whose freezes somebody places: their tenant's, or the deployment's. */
export interface Owner {
  /** of the rows, and of the lock on the rules */
  readonly tenant: string;
  /** whose log tells of it */
  readonly log: TenantId;
  readonly actor: string;
}

/** The platform key is nobody's of a tenant: what it does to all is in the deployment's own log. */
export function ownerOf(caller: Caller | null): Owner {
  if (caller === null) return { tenant: DEPLOYMENT, log: DEPLOYMENT_LOG, actor: 'platform' };
  return { tenant: caller.tenant_id, log: caller.tenant_id, actor: caller.api_key_id };
}

/** What was frozen, as its records say it by digest: the reason itself stays out of the log. */
export type Frozen = Pick<FreezeRow, 'freeze_id' | 'scope' | 'subject' | 'reason' | 'expires_at'>;

/** The signed record of a change of a freeze. `now` is the database's clock, in milliseconds. */
export function freezeRecord(
  sealer: RecordSealer,
  owner: Owner,
  verb: string,
  { freeze_id, scope, subject, reason, expires_at }: Frozen,
  now: number,
): SealedRecord {
  return sealer.seal(
    composeRecord({
      ...currentTrace(),
      kind: 'change',
      tenant_id: owner.log,
      recorded_at: now,
      actor: owner.actor,
      ...(scope === 'agent' ? { agent_id: subject } : {}),
      ...(scope === 'tool' ? { tool_id: subject } : {}),
      change: { verb, subject: freeze_id, digest: contentDigest({ freeze_id, scope, subject, reason, expires_at }) },
    }),
    { actionDigest: null, newRoot: null },
  );
}
