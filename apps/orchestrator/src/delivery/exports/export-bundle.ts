// SPDX-License-Identifier: Apache-2.0
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault, type BundleContent, type Caller } from '@writ/contract';
import { encodeReceipt, RECEIPT_MEDIA_TYPE } from '@writ/receipt';
import { parseCheckpoint, parseNote } from '@writ/signing';
import { pack } from 'tar-stream';
import type { Published } from '../../edge/published-keys.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { LedgerClient } from '../ledger-client.ts';
import { BundleFiles } from './bundle-files.ts';
import type { ExportHub } from './export-hub.ts';
import { readExported, type Exported, type ExportedRecord } from './exported-record.ts';
import { readKeyHistory } from './key-history.ts';
import { readLeaves, type LeafRange } from './leaves.ts';
import { ReferencedDocuments } from './referenced-documents.ts';

/** Most operations of a session: their ids are held in memory while the log is read. */
const OPERATIONS_MAX = 10_000;
const OPERATIONS_PAGE = 200;

/** A session, or a range of time in milliseconds. */
export interface BundleQuery {
  readonly session?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** The content of a bundle: which leaves are read, and which of them it includes. */
interface Plan {
  readonly range: LeafRange;
  readonly includes: (record: ExportedRecord) => boolean;
  readonly filter: Pick<BundleContent, 'session_id' | 'since' | 'until'>;
}

/**
 * Makes signed archives for auditors. INVARIANT (one checkpoint): every receipt of a bundle is proved against the one
 * checkpoint in it.
 */
export class ExportBundle {
  readonly #kernel: KernelClient;
  readonly #ledger: LedgerClient;
  readonly #published: Published;
  readonly #hub: ExportHub;

  constructor(kernel: KernelClient, ledger: LedgerClient, published: Published, hub: ExportHub) {
    this.#kernel = kernel;
    this.#ledger = ledger;
    this.#published = published;
    this.#hub = hub;
  }

  /**
   * Returns the archive as a stream, packed as fast as it is read. On an error the stream breaks off without the
   * manifest, which is the last file. Faults: `request.malformed`, `request.too_large` for a session with too many
   * operations, `not_found` for a log without records, `rate.limited`, `ledger.unavailable`.
   */
  async run(caller: Caller, query: BundleQuery, gone: AbortSignal): Promise<Readable> {
    const isRange = query.since !== undefined || query.until !== undefined;
    if ((query.session !== undefined) === isRange)
      throw new Fault(
        'request.malformed',
        'say what the bundle is about: a `session`, or a range by `since`, `until` or both',
      );
    const archive = new PassThrough();
    const unregister = this.#hub.register(caller.tenant_id, {
      logGrew: () => undefined,
      stopping: () => archive.destroy(),
    });
    archive.once('close', unregister);
    try {
      const checkpoint = await this.#ledger.checkpoint(caller.tenant_id);
      const plan = await this.#plan(caller, query, parseCheckpoint(parseNote(checkpoint).text).treeSize, gone);
      const packing = pack();
      pipeline(packing, archive).catch(() => undefined);
      archive.once('close', () => packing.destroy());
      this.#fill(caller, plan, checkpoint, new BundleFiles(packing)).then(
        () => packing.finalize(),
        (error: unknown) => archive.destroy(error as Error),
      );
      return archive;
    } catch (error) {
      archive.destroy();
      throw error;
    }
  }

  async #plan(
    caller: Caller,
    { session, since, until }: BundleQuery,
    treeSize: number,
    gone: AbortSignal,
  ): Promise<Plan> {
    const wholeLog = { tenantId: caller.tenant_id, treeSize, from: 0, to: treeSize, gone };
    const filter = { session_id: session ?? null, since: since ?? null, until: until ?? null };
    if (session !== undefined) {
      const operations = await this.#operationsOf(caller, session);
      return {
        range: wholeLog,
        filter,
        includes: ({ record }) => record.operation_id !== null && operations.has(record.operation_id),
      };
    }
    // The log isn't ordered by time. The bundle includes everything from the first record of the range to its last, so
    // that a gap would be visible.
    let [from, to] = [treeSize, treeSize];
    for await (const leaf of readLeaves(this.#ledger, wholeLog)) {
      const { recorded_at } = readExported(leaf).record;
      if (recorded_at < (since ?? 0) || recorded_at >= (until ?? Infinity)) continue;
      from = Math.min(from, leaf.leaf_index);
      to = leaf.leaf_index + 1;
    }
    return { range: { ...wholeLog, from, to: Math.max(from, to) }, filter, includes: () => true };
  }

  async #operationsOf(caller: Caller, session_id: string): Promise<ReadonlySet<string>> {
    const operations = new Set<string>();
    let cursor: string | null = null;
    do {
      const page: { items: { operation_id: string }[]; next_cursor: string | null } = await this.#kernel.ask(
        'operation.list',
        caller,
        {
          page: { cursor, limit: OPERATIONS_PAGE },
          state: null,
          tool_id: null,
          agent_id: null,
          workspace_id: null,
          session_id,
        },
      );
      for (const { operation_id } of page.items) operations.add(operation_id);
      if (operations.size > OPERATIONS_MAX)
        throw new Fault(
          'request.too_large',
          `the session has more than ${String(OPERATIONS_MAX)} operations: ask for ranges of time`,
        );
      cursor = page.next_cursor;
    } while (cursor !== null);
    return operations;
  }

  async #fill(
    caller: Caller,
    { range, includes, filter }: Plan,
    checkpoint: string,
    files: BundleFiles,
  ): Promise<void> {
    const referenced = new ReferencedDocuments();
    let [first, last, records]: [number | null, number | null, number] = [null, null, 0];
    await files.add('checkpoint.txt', checkpoint);
    await files.add('keys.json', `${JSON.stringify(this.#published.keys)}\n`);
    const keyRecords: string[] = [];
    for await (const leaf of readKeyHistory(this.#ledger, range))
      keyRecords.push(receiptOf(leaf, range.treeSize, checkpoint));
    if (keyRecords.length > 0) await files.add('key-history.ndjson', keyRecords.join(''));
    for await (const leaf of readLeaves(this.#ledger, range)) {
      const read = readExported(leaf);
      if (!includes(read)) continue;
      await files.addReceipt(receiptOf(leaf, range.treeSize, checkpoint));
      referenced.note(read.record);
      first ??= leaf.leaf_index;
      last = leaf.leaf_index;
      records += 1;
    }
    await files.flush();
    const missing: BundleContent['missing'] = [];
    for await (const { kind, sha256, bytes } of referenced.read(this.#kernel, caller)) {
      if (bytes === null) missing.push({ kind, sha256 });
      else await files.add(`${kind === 'policy' ? 'policies' : 'tools'}/${sha256}.json`, bytes);
    }
    const isRange = filter.session_id === null;
    const content = {
      ...filter,
      tree_size: range.treeSize,
      records,
      first_leaf: isRange ? first : null,
      last_leaf: isRange ? last : null,
      files: files.list,
      missing,
    };
    const { envelope } = await this.#kernel.ask('bundle.seal', caller, { content });
    await files.write('manifest.json', Buffer.from(`${JSON.stringify(envelope)}\n`));
  }
}

const receiptOf = ({ envelope, leaf_index, hashes }: Exported, tree_size: number, checkpoint: string): string =>
  encodeReceipt({ media_type: RECEIPT_MEDIA_TYPE, envelope, inclusion: { leaf_index, tree_size, hashes, checkpoint } });
