// SPDX-License-Identifier: Apache-2.0
import type { StartedBy, StartingJob, TenantId } from '@writ/contract';
import type { ApiKeys } from '../../store/keys/api-keys.ts';
import type { RunStart, Sessions } from '../../store/session-rows/sessions.ts';

type Known = Pick<StartedBy, 'run_id' | 'session_id' | 'job' | 'member_id'>;

/** Adds to what the kernel knows of who began the work of a call: the member, the session and the job. */
export class TraceStart {
  readonly #keys: Pick<ApiKeys, 'read'>;
  readonly #sessions: Pick<Sessions, 'startOf'>;

  constructor(keys: Pick<ApiKeys, 'read'>, sessions: Pick<Sessions, 'startOf'>) {
    this.#keys = keys;
    this.#sessions = sessions;
  }

  async of(tenantId: TenantId, started: StartedBy): Promise<StartedBy> {
    const { run_id, api_key_id } = started;
    const [start, member_id] = await Promise.all([
      run_id === undefined ? null : this.#sessions.startOf(tenantId, run_id),
      this.#memberOf(tenantId, api_key_id),
    ]);
    return { ...started, ...(start === null ? {} : startView(start)), ...(member_id === null ? {} : { member_id }) };
  }

  /** The member whose key it is. A credential that was exchanged for a key is that key's member's. */
  async #memberOf(tenantId: TenantId, apiKeyId: string): Promise<StartedBy['member_id'] | null> {
    const key = await this.#keys.read(tenantId, apiKeyId);
    if (key === null || key.member_id !== null || key.bound_token === null) return key?.member_id ?? null;
    return (await this.#keys.read(tenantId, key.created_by))?.member_id ?? null;
  }
}

function startView({ run_id, session_id, job_id, job_name, by_hand, due_at }: RunStart): Known {
  if (job_id === null) return { run_id, session_id };
  const job: StartingJob = {
    job_id,
    ...(job_name === null ? {} : { name: job_name }),
    ...(by_hand === null ? {} : { by_hand }),
    ...(due_at === null ? {} : { due_at }),
  };
  return { run_id, session_id, job };
}
