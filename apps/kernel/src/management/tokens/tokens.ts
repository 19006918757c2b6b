// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest } from '@writ/contract';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import type { ListPage } from '@writ/paging';
import {
  requireFound,
  newestFirst,
  agentFilterOf,
  requireId,
  rowsAfter,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import { relationOf } from './token-relation.ts';
import { tokenViews, type StoredToken, type TokenView } from './token-view.ts';

type ReadRequest = KernelRequest<'token.read'>;
type ListRequest = KernelRequest<'token.list'>;

/**
 * Shows tokens, their usage and the tokens that derive from them. An agent's key sees its agent's tokens and those that
 * derive from them.
 */
export class Tokens {
  readonly #tenancy: Tenancy;

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy;
  }

  /** @throws Fault `not_found` */
  async read(request: ReadRequest): Promise<TokenView> {
    return await this.#tenancy.within(request.caller.tenant_id, async (rows) =>
      requireFound((await tokenViews(rows, [await findVisibleToken(rows, request)]))[0]),
    );
  }

  /**
   * Newest first; with a parent, only its children.
   * @throws Fault `not_found` for an invalid agent id and an unknown parent, `request.malformed`
   */
  async list({ caller, page, agent_id, parent_id = null }: ListRequest): Promise<ListPage<TokenView>> {
    if (agent_id !== null) requireId('agent', agent_id);
    const after = rowsAfter(parseCursor(page.cursor), 'capability_token_id');
    const { tenant_id } = caller;
    const views = await this.#tenancy.within(tenant_id, async (rows) => {
      if (parent_id !== null) await findVisibleToken(rows, { caller, capability_token_id: parent_id });
      // The index is on the chain. A caller who sees a token sees its children.
      const below = parent_id === null ? agentFilterOf(caller) : { parent_id, chain: { has: parent_id } };
      const where = { AND: [after, agent_id === null ? {} : { agent_id }, below], tenant_id };
      return tokenViews(
        rows,
        await rows.token.findMany({ where, orderBy: newestFirst('capability_token_id'), take: page.limit + 1 }),
      );
    });
    return fittedPage(views, page.limit, ({ created_at, capability_token_id: id }) => ({ created_at, id }));
  }
}

/** @throws Fault `not_found` for a token that the caller may not see */
async function findVisibleToken(
  rows: Rows,
  { caller, capability_token_id }: Pick<ReadRequest, 'caller' | 'capability_token_id'>,
): Promise<StoredToken> {
  requireId('token', capability_token_id);
  const token = requireFound(
    await rows.token.findFirst({ where: { capability_token_id, tenant_id: caller.tenant_id } }),
  );
  if ((await relationOf(rows, caller, token)) === 'none') throw new Fault('not_found');
  return token;
}
