// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import type { JobStartView, JobView } from './views.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { JOBS } from './routes.ts';
import { Jobs, type JobRow } from '../../store/jobs/jobs.ts';
import { ChangeJobs } from '../../runs/jobs/change-jobs.ts';

@Controller()
export class JobsController {
  constructor(
    private readonly jobs: Jobs,
    private readonly changing: ChangeJobs,
  ) {}

  @Route(JOBS.list)
  async list(
    @Asked() { caller, query }: AskedOf<typeof JOBS.list>,
  ): Promise<{ items: JobView[]; next_cursor: string | null }> {
    const agentId = query.agent_id ?? caller.agent_id;
    // An agent's key sees its agent's: of another there is nothing to it, whether that exists or not.
    if (caller.agent_id !== null && agentId !== caller.agent_id) return { items: [], next_cursor: null };
    const { items, next_cursor } = await this.jobs.list(caller.tenant_id, pageOf(query), agentId);
    return { items: items.map(viewOf), next_cursor };
  }

  @Route(JOBS.create)
  async create(@Asked() { caller, body }: AskedOf<typeof JOBS.create>): Promise<JobView> {
    return viewOf(await this.changing.create(caller, body));
  }

  @Route(JOBS.read)
  async read(@Asked() { caller, params }: AskedOf<typeof JOBS.read>): Promise<JobView> {
    return viewOf(await this.changing.read(caller, params.job_id));
  }

  @Route(JOBS.change)
  async change(@Asked() { caller, params, body }: AskedOf<typeof JOBS.change>): Promise<JobView> {
    return viewOf(await this.changing.change(caller, params.job_id, body));
  }

  @Route(JOBS.pause)
  async pause(@Asked() { caller, params }: AskedOf<typeof JOBS.pause>): Promise<JobView> {
    return viewOf(await this.changing.pause(caller, params.job_id));
  }

  @Route(JOBS.resume)
  async resume(@Asked() { caller, params }: AskedOf<typeof JOBS.resume>): Promise<JobView> {
    return viewOf(await this.changing.resume(caller, params.job_id));
  }

  @Route(JOBS.remove)
  async remove(@Asked() { caller, params }: AskedOf<typeof JOBS.remove>): Promise<JobView> {
    return viewOf(await this.changing.remove(caller, params.job_id));
  }

  @Route(JOBS.start)
  start(@Asked() { caller, params, body }: AskedOf<typeof JOBS.start>): Promise<JobStartView> {
    return this.changing.start(caller, params.job_id, body.idempotency_key ?? null);
  }

  @Route(JOBS.starts)
  async starts(
    @Asked() { caller, params, query }: AskedOf<typeof JOBS.starts>,
  ): Promise<{ items: JobStartView[]; next_cursor: string | null }> {
    await this.changing.read(caller, params.job_id);
    return await this.jobs.starts(caller.tenant_id, params.job_id, pageOf(query));
  }
}

const viewOf = ({ content: { input, system }, tools, ...row }: JobRow): JobView => ({
  ...row,
  input,
  system,
  tools: [...tools],
});
