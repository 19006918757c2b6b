// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  type Receipt,
  type RecordFilter,
  type RecordPage,
  type RecordRequest,
  type RecordRow,
  type RecordsRequest,
} from '@writ/contract';
import type { Client } from '@writ/database';
import { wordsOf } from './index-row.ts';
import { indexedTo } from './index-store.ts';
import { envelopeOf, readLeaves } from '../log/leaf-rows.ts';
import { inclusionOf } from '../log/log-reader.ts';
import type { SignedLog } from '../log/signed-log.ts';
import { ledgerSql, type FoundRecord } from '../foundation/ledger-functions.ts';
import { formatCursor, parseCursor, type Cursor } from './record-cursor.ts';

/**
 * The shortest prefix of an id: its kind and two more characters. A whole kind has as many ids as there are records.
 */
const PREFIX_MIN = 6;
const EMPTY: RecordPage = { items: [], next_cursor: null, indexed_to: 0, tree_size: 0 };

/** Finds records in the index, as far as the newest checkpoint covers them. */
export class RecordReader {
  readonly #log: SignedLog;
  readonly #onBehind: (tenantId: string) => void;

  /** @param onBehind receives a tenant whose log has records that aren't indexed */
  constructor(log: SignedLog, onBehind: (tenantId: string) => void) {
    this.#log = log;
    this.#onBehind = onBehind;
  }

  /**
   * A page; an empty one for a log without records. Faults: `request.malformed` for a text without a word, or a cursor
   * of another query; `ledger.diverged`.
   */
  async page(request: RecordsRequest): Promise<RecordPage> {
    const cursor = parseCursor(request);
    const filter = filterOf(request.filter);
    const page =
      (await this.#log
        .read(request.tenant_id, async (client, logId, newest) => {
          if (newest === null) return null;
          const tree_size = newest.treeSize;
          const indexed_to = Math.min(await indexedTo(client, logId), tree_size);
          const rows = await findRows(client, logId, {
            request,
            filter,
            cursor,
            to: Math.min(cursor?.to ?? indexed_to, indexed_to),
          });
          return { ...pageOf(request, rows, cursor?.to ?? indexed_to), indexed_to, tree_size };
        })
        .catch((error: unknown) => {
          if (error instanceof Fault && error.code === 'not_found') return EMPTY;
          throw error;
        })) ?? EMPTY;
    if (page.indexed_to < page.tree_size) this.#onBehind(request.tenant_id);
    return page;
  }

  /** The receipt of the record at an index. Faults: `not_found` beyond the newest checkpoint, `ledger.diverged`. */
  async receipt({ tenant_id, leaf_index }: RecordRequest): Promise<Receipt> {
    const receipt = await this.#log.read(tenant_id, async (client, logId, newest) => {
      const [leaf] =
        newest === null || leaf_index >= newest.treeSize
          ? []
          : await readLeaves(client, logId, { from: leaf_index, to: leaf_index + 1, bytesMax: 1 });
      if (newest === null || leaf === undefined) return null;
      return {
        media_type: 'application/vnd.writ.receipt.v1+json' as const,
        envelope: envelopeOf(leaf),
        inclusion: await inclusionOf(client, logId, leaf_index, newest),
      };
    });
    if (receipt === null) throw new Fault('not_found');
    return receipt;
  }
}

/** The filter in the form of the statement: by column names. */
function filterOf({ type, outcome, resource, text, ...rest }: RecordFilter): Record<string, unknown> {
  const isPrefix = resource?.endsWith('*') === true;
  if (isPrefix && resource.length <= PREFIX_MIN)
    throw new Fault(
      'request.malformed',
      `query parameter \`resource\` needs ${PREFIX_MIN} characters before its \`*\``,
    );
  const texts =
    text === undefined
      ? []
      : text
          .split(/\s+/)
          .map((part) => ({ words: wordsOf([part]), whole: part.toLowerCase() }))
          .filter(({ words }) => words !== '');
  if (text !== undefined && texts.length === 0)
    throw new Fault('request.malformed', 'query parameter `text` holds no word');
  return {
    ...rest,
    texts,
    ...(type === undefined ? {} : { kind: type }),
    ...(outcome === undefined ? {} : { tx_outcome: outcome }),
    ...(resource === undefined
      ? {}
      : { resource: isPrefix ? resource.slice(0, -1) : resource, resource_prefix: isPrefix }),
  };
}

interface RecordQuery {
  readonly request: RecordsRequest;
  readonly filter: Record<string, unknown>;
  readonly cursor: Cursor | null;
  readonly to: number;
}

/** Reads one row more than the page holds, which tells whether there is a next page. */
async function findRows(
  client: Client,
  logId: string,
  { request, filter, cursor, to }: RecordQuery,
): Promise<readonly FoundRecord[]> {
  return await ledgerSql.findRecords.in(client, {
    tenant: request.tenant_id,
    log: logId,
    size: to,
    filter,
    newest: request.order === 'newest',
    after_at: cursor?.at ?? null,
    after_index: cursor?.index ?? null,
    limit: request.limit + 1,
  });
}

function pageOf(
  request: RecordsRequest,
  rows: readonly FoundRecord[],
  to: number,
): Pick<RecordPage, 'items' | 'next_cursor'> {
  const items = rows
    .slice(0, request.limit)
    .map(({ kind, tx_outcome, ...rest }): RecordRow => ({ ...rest, type: kind, outcome: tx_outcome }));
  const last = items.at(-1);
  const next_cursor =
    rows.length <= request.limit || last === undefined
      ? null
      : formatCursor(request, { to, at: last.recorded_at, index: last.leaf_index });
  return { items, next_cursor };
}
