// SPDX-License-Identifier: Apache-2.0
//
// The arguments of calls on stores. INVARIANT (one reading): the kernel and the executor read a change from the same
// arguments by the same function. So the kernel knows the digest of a change without trusting an executor.
import { STORE_REGISTER, storeSettingsOf, VECDB_DELETE, VECDB_QUERY, VECDB_UPSERT } from '@writ/contract';
import { parseChange, type StoreChange } from './document.ts';
import { InfoStoreError } from './info-store-error.ts';
import { parseQuery, type QueryRequest } from './query.ts';
import { definitionOfSettings } from './store-settings.ts';

type Args = Readonly<Record<string, unknown>>;

/** The change that a call makes in a store. @throws InfoStoreError `invalid` */
export function changeOfCall(toolId: string, storeId: string, args: Args): StoreChange {
  return toolId === VECDB_DELETE.tool_id
    ? parseChange({ store_id: storeId, deletes: args['document_ids'] })
    : parseChange({ store_id: storeId, upserts: args['documents'] });
}

/** What a call asks of a store; `mode` is null where the call names none. @throws InfoStoreError `invalid` */
export function queryOfCall({ store: _store, ...query }: Args): {
  readonly query: QueryRequest;
  readonly mode: QueryRequest['mode'] | null;
} {
  const parsed = parseQuery(query);
  return { query: parsed, mode: query['mode'] === undefined ? null : parsed.mode };
}

/** Members of a change, and the arguments that they come from. */
const ARGUMENTS: readonly (readonly [string, string])[] = [
  ['/upserts', '/documents'],
  ['/deletes', '/document_ids'],
];

/** The problems of arguments that fit the schema of their tool, as `ToolDefinition.faults` returns them. Total. */
export function storeCallFaults(toolId: string, args: Args): { pointer: string; message: string }[] {
  try {
    if (toolId === STORE_REGISTER.tool_id) definitionOfSettings('store', storeSettingsOf(args));
    if (toolId === VECDB_QUERY.tool_id) queryOfCall(args);
    if (toolId === VECDB_UPSERT.tool_id || toolId === VECDB_DELETE.tool_id) changeOfCall(toolId, 'store', args);
    return [];
  } catch (error) {
    if (!(error instanceof InfoStoreError)) throw error;
    const { pointer, message } = error;
    const [member, argument] = ARGUMENTS.find(([name]) => pointer.startsWith(name)) ?? ['', ''];
    return [{ pointer: `${argument}${pointer.slice(member.length)}`, message }];
  }
}
