// SPDX-License-Identifier: Apache-2.0
import { Fault, STATES, type KernelRequest, type OperationView, type ReceiptState, type State } from '@writ/contract';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { lastRecordOf, viewOf } from '../../execution/operation-views/operation-view.ts';
import { votesByOperation } from '../../execution/held/votes-of-call.ts';
import type { ListPage } from '@writ/paging';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import {
  callIn,
  newestFirst,
  agentFilterOf,
  plainRow,
  rowsAfter,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';

/** Lists operations, newest first. The result of a tool is left out; reading the operation shows it. */
export class ListOperations {
  readonly #tenancy: Tenancy;

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy;
  }

  /** @throws Fault `request.malformed` for an invalid cursor, state or filter */
  async run(request: KernelRequest<'operation.list'>): Promise<ListPage<OperationView>> {
    const { caller, page } = request;
    const where = {
      AND: [rowsAfter(parseCursor(page.cursor), 'operation_id'), filtersOf(request), agentFilterOf(caller)],
      tenant_id: caller.tenant_id,
    };
    const views = await this.#tenancy.within(caller.tenant_id, async (tables) => {
      const stored = await tables.operation.findMany({
        where,
        orderBy: newestFirst('operation_id'),
        take: page.limit + 1,
      });
      // The columns of a closed set are text to the query builder; the lifecycle trigger and the functions that write
      // them keep them in it.
      const rows = stored.map((row) => plainRow(row) as unknown as OperationRow);
      const waiting = await tables.outbox.findMany({
        where: { record_id: { in: rows.map((row) => lastRecordOf(row).record_id) } },
        select: { record_id: true },
      });
      const pending = new Set(waiting.map((record) => record.record_id));
      const held = rows.filter((row) => row.state === 'held').map(({ operation_id }) => operation_id);
      const voted =
        held.length === 0
          ? []
          : await callIn(tables, kernelSql.votesOn, { tenant: caller.tenant_id, operations: held });
      const votes = votesByOperation(voted);
      return rows.map((row) =>
        viewOf(row, {
          replayed: false,
          result: null,
          receipt: receiptOf(row, pending),
          votes: votes.get(row.operation_id),
        }),
      );
    });
    return fittedPage(views, page.limit, ({ created_at, operation_id }) => ({ created_at, id: operation_id }));
  }
}

/** A record without a row in the outbox is logged. Only the ledger has its position in the log. */
function receiptOf(row: OperationRow, pending: ReadonlySet<string>): ReceiptState {
  const { record_id, operation_id } = lastRecordOf(row);
  const state = pending.has(record_id) ? 'pending' : 'logged';
  return { state, record_id, href: `/v1/operations/${operation_id}/receipt`, leaf_index: null, tree_size: null };
}

function filtersOf({
  state,
  tool_id,
  agent_id,
  workspace_id,
  session_id,
  scheduling_class,
  unresolved = false,
}: KernelRequest<'operation.list'>): Record<string, string | null> {
  if (state !== null && !STATES.includes(state as State))
    throw new Fault('request.malformed', `a state is one of ${STATES.join(', ')}`, { pointer: '/state' });
  const wanted = Object.entries({ state, tool_id, agent_id, workspace_id, session_id, scheduling_class }).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const unreadable = wanted.find(([, text]) => text.includes('\0') || !text.isWellFormed());
  if (unreadable !== undefined)
    throw new Fault('request.malformed', 'the filter holds a character that no text has', {
      pointer: `/${unreadable[0]}`,
    });
  return { ...Object.fromEntries(wanted), ...(unresolved ? { state: 'ambiguous', resolution: null } : {}) };
}
