// SPDX-License-Identifier: Apache-2.0
import type { Caller, KernelRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { callIn, requireFound, requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import type { ChangeRecord, Changes } from './changes.ts';
import { endConnectionsOfPerson } from './end-connections.ts';
import { linkCredentials } from './link-credentials.ts';
import { KEY_REVOKED, revokeKey } from './revoke-key.ts';

/** The verb of records of new OAuth credentials. */
const CREDENTIAL_CREATED = 'oauth_credential_created';
/** The verb of records of persons whose pseudonym is unlinked from who they are. */
const PERSON_FORGOTTEN = 'person_forgotten';

/**
 * Records a change of a state that the orchestrator keeps, before the change takes effect there. If the change then
 * fails, the log has one record too many; the other order could leave one too few.
 */
export class RecordChange {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /** @throws Fault `auth.role`, `not_found` for a tenant that isn't there, `tenant.closed` but for what ends */
  async run({
    caller,
    verb,
    subject,
    digest,
    by_platform,
    subject_hash,
  }: KernelRequest<'change.record'>): Promise<{ recorded: string }> {
    requireRole(caller, 'admin');
    const make = verb === KEY_REVOKED || verb === PERSON_FORGOTTEN ? 'upkeep' : 'make';
    return await this.#changes[make](caller.tenant_id, async (rows, now) => {
      requireFound(
        await rows.tenant.findUnique({ where: { tenant_id: caller.tenant_id }, select: { tenant_id: true } }),
      );
      const record_id = newId('record');
      if (verb === CREDENTIAL_CREATED && subject_hash !== undefined)
        await linkCredentials(rows, { tenant_id: caller.tenant_id, subject_hash, credentials: [subject] });
      // An orchestrator of an earlier version revokes a key this way; the sweep ends the calls of the key that wait.
      const revoked = verb === KEY_REVOKED ? (await revokeKey(rows, caller, subject, now)).records.slice(1) : [];
      const ended = verb === PERSON_FORGOTTEN ? await forgotten(rows, caller, subject) : [];
      return {
        value: { recorded: record_id },
        records: [
          {
            record_id,
            kind: 'change',
            actor: by_platform === true ? 'platform' : caller.api_key_id,
            change: { verb, subject, digest: digest ?? null },
          },
          ...revoked,
          ...ended,
        ],
      };
    });
  }
}

/** A person with a name of the tenant has no credential that is revoked, so the connections end here. */
async function forgotten(rows: Rows, { tenant_id, api_key_id: by }: Caller, person: string): Promise<ChangeRecord[]> {
  await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
  return await endConnectionsOfPerson(rows, { tenant_id, person }, by);
}
