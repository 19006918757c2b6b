// SPDX-License-Identifier: Apache-2.0
import { QUEUE_ORDERS, type QueueFilter, type QueueOrder } from '../../data/approvals.ts';
import { textsOf, type AddressMembers } from '../../parts/address.ts';

/** What the address of the inbox says: the filters and the order. */
export interface InboxSearch extends QueueFilter {
  readonly order?: QueueOrder;
}

/** The members of an address that the inbox knows; others, and wrong values, are left out. */
export function readInboxSearch(given: AddressMembers): InboxSearch {
  const order = QUEUE_ORDERS.find((one) => one === given['order']);
  const mode = (['soft_gate', 'escalated'] as const).find((one) => one === given['autonomy_mode']);
  return {
    ...(given['mine'] === true ? { mine: true as const } : {}),
    ...textsOf(given, 'tool_id', 'agent_id', 'session_id', 'group', 'alike'),
    ...(mode === undefined ? {} : { autonomy_mode: mode }),
    ...(order === undefined ? {} : { order }),
  };
}
