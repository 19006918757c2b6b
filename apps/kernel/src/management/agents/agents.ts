// SPDX-License-Identifier: Apache-2.0
import type { AgentView, KernelRequest } from '@writ/contract';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { newId } from '@writ/nest-kit';
import type { ListPage } from '@writ/paging';
import {
  requireFound,
  newestFirst,
  agentFilterOf,
  plainRow,
  requireId,
  requireRole,
  rowsAfter,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';

const COLUMNS = { agent_id: true, name: true, created_at: true } as const;

/** The agents of a tenant. */
export class Agents {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /** @throws Fault `auth.role`, `not_found` for a tenant that isn't there */
  async create({ caller, name }: KernelRequest<'agent.create'>): Promise<AgentView> {
    requireRole(caller, 'admin');
    const { tenant_id } = caller;
    const agent_id = newId('agent');
    return await this.#changes.make(tenant_id, async (rows, now) => {
      requireFound(await rows.tenant.findUnique({ where: { tenant_id }, select: { tenant_id: true } }));
      await rows.agent.createMany({ data: [{ agent_id, tenant_id, name, created_at: now }] });
      const change = { verb: 'agent_created', subject: agent_id, digest: contentDigest({ agent_id, name }) };
      return {
        value: { agent_id, name, created_at: now },
        records: [{ kind: 'change', actor: caller.api_key_id, agent_id, change }],
      };
    });
  }

  /** @throws Fault `not_found` */
  async read({ caller, agent_id }: KernelRequest<'agent.read'>): Promise<AgentView> {
    requireId('agent', agent_id);
    const { tenant_id } = caller;
    return await this.#tenancy.within(tenant_id, async (rows) =>
      plainRow(
        requireFound(
          await rows.agent.findFirst({
            where: { AND: [{ tenant_id, agent_id }, agentFilterOf(caller)] },
            select: COLUMNS,
          }),
        ),
      ),
    );
  }

  /** Newest first. @throws Fault `request.malformed` */
  async list({ caller, page }: KernelRequest<'agent.list'>): Promise<ListPage<AgentView>> {
    const where = {
      ...rowsAfter(parseCursor(page.cursor), 'agent_id'),
      ...agentFilterOf(caller),
      tenant_id: caller.tenant_id,
    };
    const agents = await this.#tenancy.within(caller.tenant_id, (rows) =>
      rows.agent.findMany({ where, orderBy: newestFirst('agent_id'), take: page.limit + 1, select: COLUMNS }),
    );
    return fittedPage(agents.map(plainRow), page.limit, ({ created_at, agent_id }) => ({ created_at, id: agent_id }));
  }
}
