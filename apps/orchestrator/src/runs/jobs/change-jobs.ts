// SPDX-License-Identifier: Apache-2.0
import { Fault, type AgentId, type Caller, type Id } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { Jobs, type JobRow, type JobStart, type JobWish } from '../../store/jobs/jobs.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { QUEUED_MAX } from './plan-starts.ts';
import { parseSchedule } from './schedule.ts';

/** More jobs of one tenant than this are a list that nobody looks through. */
const JOBS_MAX = 1_000;

/** What a job is asked to be. */
export interface JobAsked {
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
  readonly conversation?: JobWish['conversation'];
  readonly overlap?: JobWish['overlap'];
  readonly missed?: JobWish['missed'];
  readonly rounds_max?: number;
  readonly tokens_max?: number;
  readonly cost_max?: number;
}

/**
 * Makes jobs, changes them and takes them away. INVARIANT (the kernel holds the list): what a job lists stands in a
 * token that the kernel makes and records for whoever lists it; a job that is changed has another token, and the one
 * before is revoked.
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
   * those of a token that holds no more.
   */
  async create(caller: Caller, asked: JobAsked): Promise<JobRow> {
    const job_id = newId('job');
    return await this.#jobs.create(
      caller.tenant_id,
      { job_id, ...(await this.#listed(caller, job_id, asked)) },
      JOBS_MAX,
    );
  }

  /** Says anew all that the job is, on behalf of who says it. Faults: as above. */
  async change(caller: Caller, jobId: string, asked: JobAsked): Promise<JobRow> {
    const before = await this.read(caller, jobId);
    const changed = there(
      await this.#jobs.change(caller.tenant_id, jobId, await this.#listed(caller, before.job_id, asked)),
    );
    await this.#kernel.ask('token.revoke', caller, { capability_token_id: before.run_token_id });
    return changed;
  }

  /** An agent's key sees the jobs of its agent. Faults: `not_found`. */
  async read({ tenant_id, agent_id }: Caller, jobId: string): Promise<JobRow> {
    const job = there(await this.#jobs.read(tenant_id, jobId));
    if (agent_id !== null && job.agent_id !== agent_id) throw new Fault('not_found');
    return job;
  }

  /** Faults: `not_found`. */
  async pause(caller: Caller, jobId: string): Promise<JobRow> {
    return there(await this.#jobs.pause(caller.tenant_id, jobId));
  }

  /**
   * What came due while it was paused is nobody's to make up for. Faults: `not_found`, `conflict` for a job that never
   * comes due again.
   */
  async resume(caller: Caller, jobId: string): Promise<JobRow> {
    const { cron, time_zone, state, due_at } = await this.read(caller, jobId);
    const due = state === 'active' ? due_at : null;
    return there(await this.#jobs.resume(caller.tenant_id, jobId, due ?? this.#dueAt(cron, time_zone)));
  }

  /** Its runs have no rights any more. Faults: `not_found`. */
  async remove(caller: Caller, jobId: string): Promise<JobRow> {
    const { run_token_id } = await this.read(caller, jobId);
    // The right ends first: a job that is gone while its token stands would be one that nobody can revoke.
    await this.#kernel.ask('token.revoke', caller, { capability_token_id: run_token_id });
    return there(await this.#jobs.remove(caller.tenant_id, jobId, caller.principal ?? caller.api_key_id));
  }

  /** Faults: `not_found`, `limit.exceeded`. */
  async start(caller: Caller, jobId: string, idempotencyKey: string | null): Promise<JobStart> {
    return there(await this.#jobs.ask(caller.tenant_id, jobId, idempotencyKey, QUEUED_MAX));
  }

  async #listed(caller: Caller, jobId: Id<'job'>, asked: JobAsked): Promise<JobWish> {
    const { name, cron, time_zone = 'UTC', workspace_id, capability_token_id, tools = [], model } = asked;
    const { input, system = null, data_subject = null } = asked;
    const rules = rulesOf(asked);
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
  JobWish,
  'dialect' | 'conversation' | 'overlap' | 'missed' | 'rounds_max' | 'tokens_max' | 'cost_max'
>;

/** How the job's runs go, with what counts where nothing is asked. */
function rulesOf(asked: JobAsked): JobRules {
  const { dialect = 'native', conversation = 'fresh', overlap = 'skip', missed = 'skip' } = asked;
  const { rounds_max = null, tokens_max = null, cost_max = null } = asked;
  return { dialect, conversation, overlap, missed, rounds_max, tokens_max, cost_max };
}

function there<T>(row: T | null): T {
  if (row === null) throw new Fault('not_found');
  return row;
}
