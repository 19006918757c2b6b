// SPDX-License-Identifier: Apache-2.0
import type { Caller, TenantToolView } from '@writ/contract';
import type { KernelClient } from './kernel-client.ts';

/** Tools asked for at once: with definitions of the longest they still fit into one message. */
const PAGE = 32;

/** The tools that the tenant registered. */
export async function tenantTools(kernel: KernelClient, caller: Caller): Promise<TenantToolView[]> {
  const all: TenantToolView[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: TenantToolView[]; next_cursor: string | null } = await kernel.ask('tool.list', caller, { page: { cursor, limit: PAGE }, tool_id: null });
    all.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}
