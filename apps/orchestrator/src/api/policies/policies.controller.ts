// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type {
  Backtest,
  PolicyActivation,
  PolicyDiff,
  PolicyPage,
  PolicyPutReply,
  PolicySchemaView,
  PolicySetDetails,
  PolicyTemplateList,
  Simulation,
} from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { PolicyFault } from '../../edge/problems/problem.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { POLICIES } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** The path segment for the set in force; no set can have this name. */
const ACTIVE = 'active';
/** Default operations of a page, which takes far less time than a response may. */
const BACKTEST_ROWS = 100;

@Controller()
export class PoliciesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(POLICIES.list)
  list(@RequestInput() { caller, query }: RequestInputOf<typeof POLICIES.list>): Promise<PolicyPage> {
    return this.kernel.ask('policy.list', caller, { page: pageOf(query) });
  }

  @Route(POLICIES.put)
  async put(@RequestInput() { caller, body }: RequestInputOf<typeof POLICIES.put>): Promise<PolicyPutReply> {
    const put = await this.kernel.ask('policy.put', caller, body);
    if (!put.valid) throw new PolicyFault(put.problems);
    return put;
  }

  @Route(POLICIES.simulate)
  simulate(@RequestInput() { caller, body }: RequestInputOf<typeof POLICIES.simulate>): Promise<Simulation> {
    const {
      policy = null,
      document = null,
      call: { session_id = null, session_mode = 'interactive', max_autonomy = null, task_class = 'general', ...call },
    } = body;
    return this.kernel.ask('policy.simulate', caller, {
      policy,
      document,
      call: { ...call, session_id, session_mode, max_autonomy, task_class },
    });
  }

  @Route(POLICIES.backtest)
  backtest(@RequestInput() { caller, body }: RequestInputOf<typeof POLICIES.backtest>): Promise<Backtest> {
    const { policy = null, document = null, since = 0, cursor = null, limit = BACKTEST_ROWS, effects } = body;
    // An older kernel doesn't support `effects`, so it is sent only if the request has it.
    const more = effects === undefined ? {} : { effects };
    return this.kernel.ask('policy.backtest', caller, { policy, document, since, cursor, limit, ...more });
  }

  @Route(POLICIES.schema)
  schema(@RequestInput() { caller }: RequestInputOf<typeof POLICIES.schema>): Promise<PolicySchemaView> {
    return this.kernel.ask('policy.schema', caller, {});
  }

  @Route(POLICIES.templates)
  templates(@RequestInput() { caller }: RequestInputOf<typeof POLICIES.templates>): Promise<PolicyTemplateList> {
    return this.kernel.ask('policy.templates', caller, {});
  }

  @Route(POLICIES.activations)
  activations(
    @RequestInput() { caller, query }: RequestInputOf<typeof POLICIES.activations>,
  ): Promise<{ items: PolicyActivation[]; next_cursor: string | null }> {
    return this.kernel.ask('policy.activations', caller, { page: pageOf(query) });
  }

  @Route(POLICIES.diff)
  diff(@RequestInput() { caller, query }: RequestInputOf<typeof POLICIES.diff>): Promise<PolicyDiff> {
    const { from = null, to = null } = query;
    return this.kernel.ask('policy.diff', caller, { from, to });
  }

  @Route(POLICIES.activate)
  activate(@RequestInput() { caller, body }: RequestInputOf<typeof POLICIES.activate>): Promise<PolicyActivation> {
    const { policy, if_active = null, note = null, allow_impossible } = body;
    return this.kernel.ask('policy.activate', caller, {
      policy,
      if_active,
      note,
      ...(allow_impossible === undefined ? {} : { allow_impossible }),
    });
  }

  @Route(POLICIES.rollback)
  rollBack(@RequestInput() { caller, body }: RequestInputOf<typeof POLICIES.rollback>): Promise<PolicyActivation> {
    const { if_active = null, note = null } = body;
    return this.kernel.ask('policy.rollback', caller, { if_active, note });
  }

  @Route(POLICIES.read)
  read(
    @RequestInput() { caller, params: { policy } }: RequestInputOf<typeof POLICIES.read>,
  ): Promise<PolicySetDetails> {
    return this.kernel.ask('policy.read', caller, { policy: policy === ACTIVE ? null : policy });
  }
}
