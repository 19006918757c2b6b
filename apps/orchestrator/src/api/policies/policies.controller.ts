// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type {
  Backtest,
  PolicyActivation,
  PolicyDiff,
  PolicyPage,
  PolicyPut,
  PolicySchemaView,
  PolicySetWhole,
  PolicyTemplateList,
  Simulation,
} from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { PolicyFault } from '../../edge/problems/problem.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { POLICIES } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** Stands for the set in force where a set is named in the path; no set can be put under it. */
const ACTIVE = 'active';
/** Operations of a page: well within the time that an answer may take. */
const BACKTEST_ROWS = 100;

@Controller()
export class PoliciesController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(POLICIES.list)
  list(@Asked() { caller, query }: AskedOf<typeof POLICIES.list>): Promise<PolicyPage> {
    return this.kernel.ask('policy.list', caller, { page: pageOf(query) });
  }

  @Route(POLICIES.put)
  async put(@Asked() { caller, body }: AskedOf<typeof POLICIES.put>): Promise<PolicyPut> {
    const put = await this.kernel.ask('policy.put', caller, body);
    if (!put.valid) throw new PolicyFault(put.problems);
    return put;
  }

  @Route(POLICIES.simulate)
  simulate(@Asked() { caller, body }: AskedOf<typeof POLICIES.simulate>): Promise<Simulation> {
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
  backtest(@Asked() { caller, body }: AskedOf<typeof POLICIES.backtest>): Promise<Backtest> {
    const { policy = null, document = null, since = 0, cursor = null, limit = BACKTEST_ROWS, effects } = body;
    // An older kernel knows no `effects`: it is named only where somebody asks for it.
    const more = effects === undefined ? {} : { effects };
    return this.kernel.ask('policy.backtest', caller, { policy, document, since, cursor, limit, ...more });
  }

  @Route(POLICIES.schema)
  schema(@Asked() { caller }: AskedOf<typeof POLICIES.schema>): Promise<PolicySchemaView> {
    return this.kernel.ask('policy.schema', caller, {});
  }

  @Route(POLICIES.templates)
  templates(@Asked() { caller }: AskedOf<typeof POLICIES.templates>): Promise<PolicyTemplateList> {
    return this.kernel.ask('policy.templates', caller, {});
  }

  @Route(POLICIES.activations)
  activations(
    @Asked() { caller, query }: AskedOf<typeof POLICIES.activations>,
  ): Promise<{ items: PolicyActivation[]; next_cursor: string | null }> {
    return this.kernel.ask('policy.activations', caller, { page: pageOf(query) });
  }

  @Route(POLICIES.diff)
  diff(@Asked() { caller, query }: AskedOf<typeof POLICIES.diff>): Promise<PolicyDiff> {
    const { from = null, to = null } = query;
    return this.kernel.ask('policy.diff', caller, { from, to });
  }

  @Route(POLICIES.activate)
  activate(@Asked() { caller, body }: AskedOf<typeof POLICIES.activate>): Promise<PolicyActivation> {
    const { policy, if_active = null, note = null, allow_impossible } = body;
    return this.kernel.ask('policy.activate', caller, {
      policy,
      if_active,
      note,
      ...(allow_impossible === undefined ? {} : { allow_impossible }),
    });
  }

  @Route(POLICIES.rollback)
  rollBack(@Asked() { caller, body }: AskedOf<typeof POLICIES.rollback>): Promise<PolicyActivation> {
    const { if_active = null, note = null } = body;
    return this.kernel.ask('policy.rollback', caller, { if_active, note });
  }

  @Route(POLICIES.read)
  read(@Asked() { caller, params: { policy } }: AskedOf<typeof POLICIES.read>): Promise<PolicySetWhole> {
    return this.kernel.ask('policy.read', caller, { policy: policy === ACTIVE ? null : policy });
  }
}
