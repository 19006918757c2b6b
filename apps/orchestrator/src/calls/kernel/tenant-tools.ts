// SPDX-License-Identifier: Apache-2.0
import type { Caller, TenantToolView } from '@writ/contract';
import { allItems } from './all-items.ts';
import type { KernelClient } from './kernel-client.ts';

/** Tools of one page: even with the longest definitions they fit into one message. */
const PAGE = 32;

/** The tools that the tenant registered. */
export const tenantTools = (kernel: KernelClient, caller: Caller): Promise<TenantToolView[]> =>
  allItems((cursor) => kernel.ask('tool.list', caller, { page: { cursor, limit: PAGE }, tool_id: null }));
