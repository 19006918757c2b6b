// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { requireMatch } from '@writ/nest-kit';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { idempotencyKeyOf } from '../../edge/requests/idempotency-key.ts';
import type { JobStartView, JobView } from './views.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { JOBS } from './routes.ts';
import { Jobs, type JobCondition, type JobRow } from '../../store/jobs/jobs.ts';
import { ChangeJobs } from '../../runs/jobs/change-jobs.ts';

@Controller()
export class JobsController {
  constructor(
    private readonly jobs: Jobs,
    private readonly changeJobs: ChangeJobs,
  ) {}

  @Route(JOBS.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof JOBS.list>,
  ): Promise<{ items: JobView[]; next_cursor: string | null }> {
    const agentId = query.agent_id ?? caller.agent_id;
    // An agent's key sees only its agent's jobs. For another agent the list is empty, whether that agent exists or not.
    if (caller.agent_id !== null && agentId !== caller.agent_id) return { items: [], next_cursor: null };
    const { items, next_cursor } = await this.jobs.list(caller.tenant_id, pageOf(query), agentId);
    return { items: items.map(viewOf), next_cursor };
  }

  @Route(JOBS.create)
  async create(@RequestInput() { caller, body }: RequestInputOf<typeof JOBS.create>): Promise<JobView> {
    return viewOf(await this.changeJobs.create(caller, body));
  }

  @Route(JOBS.read)
  async read(@RequestInput() { caller, params }: RequestInputOf<typeof JOBS.read>): Promise<JobView> {
    return viewOf(await this.changeJobs.read(caller, params.job_id));
  }

  @Route(JOBS.change)
  async change(@RequestInput() request: RequestInputOf<typeof JOBS.change>): Promise<JobView> {
    const { caller, params, body } = request;
    return viewOf(await this.changeJobs.change(caller, params.job_id, body, conditionOf(request)));
  }

  @Route(JOBS.pause)
  async pause(@RequestInput() request: RequestInputOf<typeof JOBS.pause>): Promise<JobView> {
    const { caller, params } = request;
    return viewOf(await this.changeJobs.pause(caller, params.job_id, conditionOf(request)));
  }

  @Route(JOBS.resume)
  async resume(@RequestInput() request: RequestInputOf<typeof JOBS.resume>): Promise<JobView> {
    const { caller, params } = request;
    return viewOf(await this.changeJobs.resume(caller, params.job_id, conditionOf(request)));
  }

  @Route(JOBS.remove)
  async remove(@RequestInput() request: RequestInputOf<typeof JOBS.remove>): Promise<JobView> {
    const { caller, params } = request;
    return viewOf(await this.changeJobs.remove(caller, params.job_id, conditionOf(request)));
  }

  @Route(JOBS.start)
  start(
    @RequestInput() { caller, params, body }: RequestInputOf<typeof JOBS.start>,
    @InExchange() exchange: Exchange,
  ): Promise<JobStartView> {
    return this.changeJobs.start(caller, params.job_id, idempotencyKeyOf(body, exchange.header('idempotency-key')));
  }

  @Route(JOBS.starts)
  async starts(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof JOBS.starts>,
  ): Promise<{ items: JobStartView[]; next_cursor: string | null }> {
    await this.changeJobs.read(caller, params.job_id);
    return await this.jobs.starts(caller.tenant_id, params.job_id, pageOf(query));
  }
}

const viewOf = ({ content: { input, system }, tools, ...row }: JobRow): JobView => ({
  ...row,
  input,
  system,
  tools: [...tools],
});

/** The condition of `If-Match`, on what the API shows of the job. */
const conditionOf = ({ ifMatch }: { readonly ifMatch: readonly string[] | null }): JobCondition | undefined =>
  ifMatch === null ? undefined : (present) => requireMatch(ifMatch, viewOf(present));
