// SPDX-License-Identifier: Apache-2.0
import { AGENT_MANAGE, type ReportRequest } from '@writ/contract';
import { isSqlError } from '@writ/database';
import type { AgentChanges } from '../agents/index.ts';
import type { AttemptFacts } from '../attempts/index.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import { callArguments } from '../effects/index.ts';
import {
  changesResources,
  outcomeFault,
  resourceChangesOf,
  type OutcomeFault,
  type ResourceChange,
} from '../outcomes/index.ts';
import { storeChangeOf } from '../stores/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** What a call does to those tables, and the notifications of it, for once it is durable. */
export interface DraftedChanges {
  readonly changes: readonly ResourceChange[];
  readonly announce: () => Promise<void>;
}

const silently = (changes: readonly ResourceChange[]): DraftedChanges => ({
  changes,
  announce: () => Promise.resolve(),
});

/** Finds what a call does to the kernel's own tables and to information stores when it commits. */
export class CallChanges {
  readonly #tenants: TenantPool;
  readonly #args: ArgumentsReader;
  readonly #agents: Pick<AgentChanges, 'draft'>;

  constructor(tenants: TenantPool, args: ArgumentsReader, agents: Pick<AgentChanges, 'draft'>) {
    this.#tenants = tenants;
    this.#args = args;
    this.#agents = agents;
  }

  /** The changes of a call whose attempt succeeded; its arguments are opened only for tools that change something. */
  async of(facts: AttemptFacts, report: ReportRequest): Promise<DraftedChanges | OutcomeFault> {
    const { operation } = facts;
    const readArguments = () => callArguments(this.#args, facts);
    if (operation.tool_id === AGENT_MANAGE.tool_id) {
      const drafted = await this.#agents.draft(facts, await readArguments());
      return 'code' in drafted ? drafted : { changes: [drafted.change], announce: drafted.announce };
    }
    if (changesResources(operation.tool_id)) return silently(resourceChangesOf(operation, await readArguments()));
    const change = await storeChangeOf(this.#tenants, operation, report, readArguments);
    if (change === null) return silently([]);
    return 'code' in change ? change : silently([change]);
  }
}

/** Why the changes of a call were not taken; null for any other error. */
export function changeFault(error: unknown): OutcomeFault | null {
  if (isSqlError(error, 'resource_exists')) return outcomeFault('resource.exists');
  if (isSqlError(error, 'task_unknown')) return outcomeFault('task.unknown');
  if (isSqlError(error, 'agent_conflict')) return outcomeFault('agent.conflict');
  if (isSqlError(error, 'info_store_change_unknown', 'info_store_change_differs'))
    return outcomeFault(
      'effect.invalid',
      'what the attempt staged for the information store is not what the call says',
    );
  if (isSqlError(error, 'info_store_unknown'))
    return outcomeFault('resource.unknown', 'the information store was removed');
  return isSqlError(error, 'program_limit_exceeded')
    ? outcomeFault('limit.exceeded', 'the tenant has as many resources as it may', 'have one removed')
    : null;
}
