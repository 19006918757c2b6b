// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest } from '@writ/contract';
import { newId } from '../store/index.ts';
import { found, requireRole, type Rows } from '../tenancy/index.ts';
import type { ChangeRecord, Changes } from './changes.ts';

/** Records a change of a state that the orchestrator keeps, before it takes effect there: a change that never came is one record too many, the other way round one too few. */
export class RecordChange {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /** @throws Fault `auth.role`, `not_found` for a tenant that isn't there */
  async run({ caller, verb, subject, digest }: KernelRequest<'change.record'>): Promise<{ recorded: string }> {
    requireRole(caller, 'admin');
    return await this.#changes.make(caller.tenant_id, async (rows, now) => {
      found(await rows.tenant.findUnique({ where: { tenant_id: caller.tenant_id }, select: { tenant_id: true } }));
      const record_id = newId('record');
      const ended = verb === KEY_REVOKED ? await endDelegations(rows, subject, { by: caller.api_key_id, now }) : [];
      return { value: { recorded: record_id }, records: [{ record_id, kind: 'change', actor: caller.api_key_id, change: { verb, subject, digest: digest ?? null } }, ...ended] };
    });
  }
}

/** What the orchestrator calls the end of a key. */
const KEY_REVOKED = 'api_key_revoked';

/** The record of a delegation that was taken back. */
export const delegationRevoked = (actor: string, delegationId: string): ChangeRecord =>
  ({ kind: 'approval', actor, change: { verb: 'revoke_delegation', subject: delegationId, digest: null } });

/** Who lost the key lost the right that was lent with it. */
async function endDelegations(rows: Rows, keyId: string, { by, now }: { by: string; now: number }): Promise<ChangeRecord[]> {
  const lent = await rows.delegation.findMany({ where: { created_by: keyId, revoked_at: null, expires_at: { gt: now } }, select: { delegation_id: true }, orderBy: { delegation_id: 'asc' } });
  const ids = lent.map(({ delegation_id }) => delegation_id);
  await rows.delegation.updateMany({ where: { delegation_id: { in: ids } }, data: { revoked_at: now, revoked_by: by } });
  return ids.map((id) => delegationRevoked(by, id));
}
