// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest } from '@writ/contract';
import { fittedPage, parseCursor, type Listed } from '../store/index.ts';
import { found, newestFirst, onlyAgentOf, requireId, rowsAfter, type Tenancy } from '../tenancy/index.ts';
import { tokenViews, type TokenView } from './token-view.ts';

/** Shows tokens and what was used of them. An agent's key sees its agent's. */
export class Tokens {
  readonly #tenancy: Tenancy;

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy;
  }

  /** @throws Fault `not_found` */
  async read({ caller, capability_token_id }: KernelRequest<'token.read'>): Promise<TokenView> {
    requireId('token', capability_token_id);
    return await this.#tenancy.within(caller.tenant_id, async (rows) => {
      const token = found(await rows.token.findFirst({ where: { capability_token_id, tenant_id: caller.tenant_id, ...onlyAgentOf(caller) } }));
      return found((await tokenViews(rows, [token]))[0]);
    });
  }

  /** Newest first. @throws Fault `not_found` for what is no id of an agent, `request.malformed` */
  async list({ caller, page, agent_id }: KernelRequest<'token.list'>): Promise<Listed<TokenView>> {
    if (agent_id !== null) requireId('agent', agent_id);
    const after = rowsAfter(parseCursor(page.cursor), 'capability_token_id');
    const where = { AND: [after, agent_id === null ? {} : { agent_id }, onlyAgentOf(caller)], tenant_id: caller.tenant_id };
    const views = await this.#tenancy.within(caller.tenant_id, async (rows) =>
      tokenViews(rows, await rows.token.findMany({ where, orderBy: newestFirst('capability_token_id'), take: page.limit + 1 })));
    return fittedPage(views, page.limit, ({ created_at, capability_token_id: id }) => ({ created_at, id }));
  }
}
