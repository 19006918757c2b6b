// SPDX-License-Identifier: Apache-2.0
import { Fault, type AgentId, type Caller, type Id } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { Jobs, type JobCondition, type JobRow, type JobStart, type JobSpec } from '../../store/jobs/jobs.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { QUEUED_MAX } from './plan-starts.ts';
import { parseSchedule } from './cron-schedule.ts';

/** Most jobs of one tenant: nobody looks through a longer list. */
const JOBS_MAX = 1_000;

/** The values of a job in a request. */
export interface JobRequest {
  readonly name: string;
  readonly cron: string;
  readonly time_zone?: string;
  readonly workspace_id: string;
  readonly capability_token_id: string;
  readonly input: string;
  readonly model: string;
  readonly system?: string;
  readonly data_subject?: string;
  readonly dialect?: string;
  readonly tools?: readonly string[];
  readonly conversation?: JobSpec['conversation'];
  readonly overlap?: JobSpec['overlap'];
  readonly missed?: JobSpec['missed'];
  readonly scheduling_class?: JobSpec['scheduling_class'];
  readonly rounds_max?: number;
  readonly tokens_max?: number;
  readonly cost_max?: number;
}

/** Faults after which the job is as it was. */
const UNCHANGED: readonly string[] = ['not_found', 'precondition.failed'];

/**
 * Creates, changes and deletes jobs. INVARIANT (the kernel holds the list): a token that the kernel issues and records
 * for the caller holds the job's list of tools. A changed job gets a new token, and the previous one is revoked.
 */
export class ChangeJobs {
  readonly #kernel: KernelClient;
  readonly #jobs: Jobs;
  readonly #hasModel: (name: string) => boolean;
  readonly #now: () => number;

  constructor(
    kernel: KernelClient,
    jobs: Jobs,
    { hasModel, now }: { readonly hasModel: (name: string) => boolean; readonly now: () => number },
  ) {
    this.#kernel = kernel;
    this.#jobs = jobs;
    this.#hasModel = hasModel;
    this.#now = now;
  }

  /**
   * Faults: `not_found` for a token or a workspace that isn't the tenant's, `request.malformed`, `limit.exceeded`, and
   * those of a token that is no longer valid.
   */
  async create(caller: Caller, request: JobRequest): Promise<JobRow> {
    const job_id = newId('job');
    return await this.#jobs.create(
      caller.tenant_id,
      { job_id, ...(await this.#specOf(caller, job_id, request)) },
      JOBS_MAX,
    );
  }

  /** Replaces the job's definition, on behalf of the caller. Faults: as above. */
  async change(caller: Caller, jobId: string, request: JobRequest, condition?: JobCondition): Promise<JobRow> {
    const before = await this.read(caller, jobId);
    // Before a token is made; what counts is the comparison within the change.
    await condition?.(before);
    const spec = await this.#specOf(caller, before.job_id, request);
    const revoke = (capability_token_id: string) => this.#kernel.ask('token.revoke', caller, { capability_token_id });
    let changed: JobRow;
    try {
      changed = orNotFound(await this.#jobs.change(caller.tenant_id, jobId, spec, condition));
    } catch (error) {
      // Nothing was changed, as where the job was deleted meanwhile: nobody else could revoke the new token.
      if (error instanceof Fault && UNCHANGED.includes(error.code)) await revoke(spec.run_token_id);
      throw error;
    }
    await revoke(before.run_token_id);
    return changed;
  }

  /** An agent's key sees the jobs of its agent. Faults: `not_found`. */
  async read({ tenant_id, agent_id }: Caller, jobId: string): Promise<JobRow> {
    const job = orNotFound(await this.#jobs.read(tenant_id, jobId));
    if (agent_id !== null && job.agent_id !== agent_id) throw new Fault('not_found');
    return job;
  }

  /** Faults: `not_found`. */
  async pause(caller: Caller, jobId: string, condition?: JobCondition): Promise<JobRow> {
    return orNotFound(await this.#jobs.pause(caller.tenant_id, jobId, condition));
  }

  /**
   * Due times during the pause are not made up for. Faults: `not_found`, `conflict` for a job that never comes due
   * again.
   */
  async resume(caller: Caller, jobId: string, condition?: JobCondition): Promise<JobRow> {
    const { cron, time_zone, state, due_at } = await this.read(caller, jobId);
    const due = state === 'active' ? due_at : null;
    const next = due ?? this.#dueAt(cron, time_zone);
    return orNotFound(await this.#jobs.resume(caller.tenant_id, jobId, next, condition));
  }

  /** Deletes it, and revokes the token of its runs. Faults: `not_found`. */
  async remove(caller: Caller, jobId: string, condition?: JobCondition): Promise<JobRow> {
    const { run_token_id } = await this.read(caller, jobId);
    // The token is revoked first: if the job were deleted first and this failed, nobody could revoke the token any
    // more. Under a condition it is revoked within the deletion, so that a deletion that is refused leaves the token.
    const revoke = () => this.#kernel.ask('token.revoke', caller, { capability_token_id: run_token_id });
    if (condition === undefined) await revoke();
    const by = caller.principal ?? caller.api_key_id;
    const revokedUnder =
      condition &&
      (async (present: JobRow) => {
        await condition(present);
        await revoke();
      });
    return orNotFound(await this.#jobs.remove(caller.tenant_id, jobId, by, revokedUnder));
  }

  /** Faults: `not_found`, `limit.exceeded`. */
  async start(caller: Caller, jobId: string, idempotencyKey: string | null): Promise<JobStart> {
    return orNotFound(await this.#jobs.queueStart(caller.tenant_id, jobId, idempotencyKey, QUEUED_MAX));
  }

  async #specOf(caller: Caller, jobId: Id<'job'>, request: JobRequest): Promise<JobSpec> {
    const { name, cron, time_zone = 'UTC', workspace_id, capability_token_id, tools = [], model } = request;
    const { input, system = null, data_subject = null } = request;
    const rules = rulesOf(request);
    this.#verifyPossible(model, rules);
    const due_at = this.#dueAt(cron, time_zone);
    const token = await this.#kernel.ask('token.list_for_job', caller, {
      parent_id: capability_token_id,
      workspace_id,
      job: { job_id: jobId, tools: [...tools] },
    });
    return {
      name,
      cron,
      time_zone,
      agent_id: token.agent_id as AgentId,
      workspace_id,
      capability_token_id,
      run_token_id: token.capability_token_id,
      tools,
      model,
      ...rules,
      content: { input, system, data_subject },
      by: caller.api_key_id,
      principal: caller.principal ?? null,
      due_at,
    };
  }

  #verifyPossible(model: string, { conversation, overlap }: JobRules): void {
    if (!this.#hasModel(model))
      throw new Fault('request.malformed', 'there is no such model here; `/v1/models` lists those that there are', {
        pointer: '/model',
      });
    if (conversation === 'kept' && overlap === 'allow')
      throw new Fault(
        'request.malformed',
        'runs of one conversation go one after another: `overlap` is `skip` or `queue` there',
        { pointer: '/overlap' },
      );
  }

  #dueAt(cron: string, timeZone: string): number {
    const now = this.#now();
    const due = parseSchedule(cron, timeZone, now).after(now);
    if (due === null) throw new Fault('conflict', 'the job never comes due again');
    return due;
  }
}

type JobRules = Pick<
  JobSpec,
  'dialect' | 'conversation' | 'overlap' | 'missed' | 'scheduling_class' | 'rounds_max' | 'tokens_max' | 'cost_max'
>;

/** The rules of the job's runs, with defaults. */
function rulesOf(request: JobRequest): JobRules {
  const { dialect = 'native', conversation = 'fresh', overlap = 'skip', missed = 'skip' } = request;
  const { scheduling_class = 'background', rounds_max = null, tokens_max = null, cost_max = null } = request;
  return { dialect, conversation, overlap, missed, scheduling_class, rounds_max, tokens_max, cost_max };
}

function orNotFound<T>(row: T | null): T {
  if (row === null) throw new Fault('not_found');
  return row;
}
