// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { changedMeanwhile } from '@writ/nest-kit';
import {
  Fault,
  type Caller,
  type Backtest,
  type PolicyActivation,
  type PolicyDiff,
  type PolicyPage,
  type PolicyPutReply,
  type PolicySchemaView,
  type PolicySetDetails,
  type PolicyTemplateList,
  type Simulation,
} from '@writ/contract';
import { isNamedIn } from '../../edge/requests/conditions.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
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
  activate(@RequestInput() request: RequestInputOf<typeof POLICIES.activate>): Promise<PolicyActivation> {
    const { policy, note = null, allow_impossible } = request.body;
    const more = allow_impossible === undefined ? {} : { allow_impossible };
    return this.#underCondition(request, (if_active) =>
      this.kernel.ask('policy.activate', request.caller, { policy, if_active, note, ...more }),
    );
  }

  @Route(POLICIES.rollback)
  rollBack(@RequestInput() request: RequestInputOf<typeof POLICIES.rollback>): Promise<PolicyActivation> {
    const { note = null } = request.body;
    return this.#underCondition(request, (if_active) =>
      this.kernel.ask('policy.rollback', request.caller, { if_active, note }),
    );
  }

  @Route(POLICIES.read)
  async read(
    @RequestInput() { caller, params: { policy } }: RequestInputOf<typeof POLICIES.read>,
    @InExchange() exchange: Exchange,
  ): Promise<PolicySetDetails | undefined> {
    if (policy !== ACTIVE) return await this.kernel.ask('policy.read', caller, { policy });
    const set = await this.kernel.ask('policy.read', caller, { policy: null });
    // A set is immutable, and the one in force is shown in one way.
    const etag = `"${set.policy_hash}"`;
    exchange.setHeader('etag', etag);
    exchange.setHeader('cache-control', 'private, no-cache');
    if (!isNamedIn(exchange.header('if-none-match'), etag)) return set;
    exchange.setStatus(304);
    return undefined;
  }

  /**
   * Makes a change under `if_active`, or under `If-Match` with the tag of the set in force: its hash. The kernel
   * compares both alike.
   * @throws Fault `precondition.failed` where `If-Match` does not hold
   */
  async #underCondition<T>(
    { caller, ifMatch, body: { if_active } }: ConditionalActivation,
    change: (ifActive: string | null) => Promise<T>,
  ): Promise<T> {
    if (ifMatch === null) return await change(if_active ?? null);
    const [tag = '', ...others] = ifMatch;
    if (others.length > 0 || if_active !== undefined)
      throw new Fault('request.malformed', '`If-Match` names one policy set here, and excludes `if_active`');
    try {
      return await change(POLICY_HASH.test(tag) ? tag : NO_POLICY);
    } catch (error) {
      if (!(error instanceof Fault) || (error.code !== 'conflict' && error.code !== 'not_found')) throw error;
      // The set to activate may be what is not there, or the one that the tag names.
      const { policy_hash } = await this.kernel.ask('policy.read', caller, { policy: null });
      throw policy_hash === tag ? error : changedMeanwhile(policy_hash);
    }
  }
}

interface ConditionalActivation {
  readonly caller: Caller;
  readonly ifMatch: readonly string[] | null;
  readonly body: { readonly if_active?: string };
}

const POLICY_HASH = /^[0-9a-f]{64}$/;
/** The hash of no set, for a tag that is none. */
const NO_POLICY = '0'.repeat(64);
