// SPDX-License-Identifier: Apache-2.0
import { QUEUE_ORDERS, type QueueFilter, type QueueOrder } from '../../data/approvals.ts';

/** What the address of the inbox says: the filters and the order. */
export interface InboxSearch extends QueueFilter {
  readonly order?: QueueOrder;
}

/** The members of an address that the inbox knows; others, and wrong values, are left out. */
export function readInboxSearch(given: Readonly<Record<string, unknown>>): InboxSearch {
  const text = (name: string): Record<string, string> =>
    typeof given[name] === 'string' && given[name] !== '' ? { [name]: given[name] } : {};
  const order = QUEUE_ORDERS.find((one) => one === given['order']);
  const mode = (['soft_gate', 'escalated'] as const).find((one) => one === given['autonomy_mode']);
  return {
    ...(given['mine'] === true ? { mine: true as const } : {}),
    ...text('tool_id'),
    ...text('agent_id'),
    ...text('session_id'),
    ...text('group'),
    ...text('alike'),
    ...(mode === undefined ? {} : { autonomy_mode: mode }),
    ...(order === undefined ? {} : { order }),
  };
}
