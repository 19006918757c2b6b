// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { inTransaction, type Client, type Pool } from '@writ/database';
import { isSameHash } from '@writ/merkle';
import type { SignedMemory } from '../signing/signed-memory.ts';
import { ledgerSql, type OpenRow } from '../foundation/ledger-functions.ts';
import type { CommittedRoot } from '../signing/committed-root.ts';
import type { Entry, LogEntries } from './entry.ts';
import { growLog, NEW_LOG, parseLogState, type LogState } from './grow.ts';
import { edgeReader, headAfter, CachedLogHeads, type Edges, type LogHead } from './cached-log-heads.ts';
import { edgesOf } from './tiles.ts';
import { batchOf, type LogGrowth } from './write-batch.ts';

/** The index of each record of a batch, by `<log_id>/<record_id>`, and the root of each of its logs afterwards. */
export interface AppendedBatch {
  readonly indexes: ReadonlyMap<string, number>;
  readonly roots: readonly CommittedRoot[];
}

export const keyOf = (entry: { logId: string; recordId: string }): string => `${entry.logId}/${entry.recordId}`;

/**
 * Appends batches to the logs. INVARIANT (consecutive): the primary key (log_id, leaf_index) is the fence; a replica
 * that lost its lock fails, and nothing of its batch is stored. INVARIANT (exactly once): a record that exists already
 * keeps its index. INVARIANT (no going back): a log whose stored root differs from the root that was signed last at
 * that size gets no further record.
 */
export class LogStore {
  readonly #pool: Pool;
  readonly #memory: SignedMemory;
  readonly #heads = new CachedLogHeads();

  constructor(pool: Pool, memory: SignedMemory) {
    this.#pool = pool;
    this.#memory = memory;
  }

  /**
   * Appends the whole batch in one transaction, over any number of logs. Resolves after COMMIT; callers MUST have the
   * roots signed before they append again. Faults: `ledger.diverged`, `ledger.unavailable`, `database.unavailable`.
   */
  async append(entries: readonly Entry[]): Promise<AppendedBatch> {
    await this.#memory.verifyWritable();
    const logs = groupByLog(entries);
    return (await this.#appendFromCache(logs)) ?? (await this.#appendAfterQuery(entries, logs));
  }

  /**
   * Appends in one statement. This needs a cached head for each of the logs, from a batch that this replica wrote last
   * and has signed or claimed for signing. Null, and nothing is written, when a log has no such head, another replica
   * was faster, a record exists already, or the statement failed: the append with a query finds out which.
   */
  async #appendFromCache(logs: readonly LogEntries[]): Promise<AppendedBatch | null> {
    const grown: (LogGrowth & { head: LogHead })[] = [];
    for (const log of logs) {
      const head = this.#heads.of(log.logId);
      if (!head || this.#memory.last(log.logId)?.treeSize !== head.state.treeSize) return null;
      const entries = firstOfEach(log.entries);
      grown.push({
        log: { ...log, entries },
        from: head.state,
        growth: growLog(head.state, entries, edgeReader(head.edges)),
        head,
      });
    }
    const written = await ledgerSql.appendBatch(this.#pool, batchOf(grown)).catch(() => false);
    if (!written) {
      this.#heads.forget(logs.map((log) => log.logId));
      return null;
    }
    for (const { log, growth, head: standing } of grown) this.#heads.set(log.logId, headAfter(standing.edges, growth));
    return { indexes: new Map(grown.flatMap(indexesOf)), roots: grown.map(rootAfter) };
  }

  async #appendAfterQuery(entries: readonly Entry[], logs: readonly LogEntries[]): Promise<AppendedBatch> {
    const {
      known,
      all,
      standings: heads,
    } = await inTransaction(this.#pool, async (client) => {
      const { states, known, tiles } = await this.#openBatch(client, entries, logs);
      const all = logs.map((log): LogGrowth & { edges: Edges } => {
        const from = states.get(log.logId) ?? NEW_LOG;
        const fresh = firstOfEach(log.entries).filter((entry) => !known.has(keyOf(entry)));
        const edges = edgesOf(tiles, log.logId);
        return { log: { ...log, entries: fresh }, from, growth: growLog(from, fresh, edgeReader(edges)), edges };
      });
      const grown = all.filter(({ log }) => log.entries.length > 0);
      if (grown.length > 0) await ledgerSql.appendBatch.in(client, batchOf(grown));
      return {
        known,
        all,
        standings: all.map(({ log, growth, edges }) => [log.logId, headAfter(edges, growth)] as const),
      };
    });
    for (const [logId, head] of heads) this.#heads.set(logId, head);
    return { indexes: new Map([...known, ...all.flatMap(indexesOf)]), roots: all.map(rootAfter) };
  }

  async #openBatch(client: Client, entries: readonly Entry[], logs: readonly LogEntries[]) {
    const signed = logs.map((log) => this.#memory.last(log.logId));
    const rows = await ledgerSql.openBatch.in(client, {
      tenants: logs.map((log) => log.tenantId),
      logs: logs.map((log) => log.logId),
      signed: signed.map((s) => s?.treeSize ?? 0),
      record_logs: entries.map((entry) => entry.logId),
      records: entries.map((entry) => entry.recordId),
    });
    logs.forEach((log, i) => verifySigned(log.logId, signed[i], rows));
    const states = new Map<string, LogState>();
    const existing = new Map<string, number>();
    for (const row of rows) {
      if (row.what === 'log') states.set(row.log_id, parseLogState(row));
      if (row.what === 'record') existing.set(keyOf({ logId: row.log_id, recordId: row.record_id }), row.at);
    }
    return { states, known: existing, tiles: rows.filter((row) => row.what === 'tile') };
  }
}

function groupByLog(entries: readonly Entry[]): LogEntries[] {
  const logs = new Map<string, Entry[]>();
  for (const entry of entries) {
    const of = logs.get(entry.logId);
    if (of) of.push(entry);
    else logs.set(entry.logId, [entry]);
  }
  return [...logs].map(([logId, of]) => ({ logId, tenantId: of[0]?.tenantId ?? '', entries: of }));
}

const indexesOf = ({ log, growth }: LogGrowth): [string, number][] =>
  log.entries.map((entry, i) => [keyOf(entry), growth.first + i]);

const rootAfter = ({ log, growth }: LogGrowth): CommittedRoot => ({
  logId: log.logId,
  tenantId: log.tenantId,
  treeSize: growth.frontier.size,
  root: growth.root,
});

/** The same record may occur twice in one batch: from two senders, or from one that retried. */
const firstOfEach = (entries: readonly Entry[]): Entry[] => [
  ...new Map(entries.map((entry) => [entry.recordId, entry])).values(),
];

function verifySigned(
  logId: string,
  signed: { treeSize: number; root: Uint8Array } | undefined,
  rows: readonly OpenRow[],
): void {
  if (!signed) return;
  const stored = rows.find((row) => row.what === 'signed' && row.log_id === logId);
  if (stored && isSameHash(stored.root, signed.root)) return;
  throw new Fault(
    'ledger.diverged',
    `log \`${logId}\` was signed at size ${signed.treeSize}, and the database ${stored ? 'has another root there' : 'does not reach it'}: ` +
      'restore the newest backup, or move the tenant to a new log; nothing is appended until then',
  );
}
