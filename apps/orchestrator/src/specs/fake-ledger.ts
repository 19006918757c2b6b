// SPDX-License-Identifier: Apache-2.0
import { Fault, RECORD_PAYLOAD_TYPE, subjectsOf, type Receipt } from '@writ/contract';
import type { memoryBus } from '@writ/bus';
import {
  encodeTile,
  growTiles,
  hashAtFromTiles,
  leafHash,
  proveConsistency,
  proveInclusion,
  tileWidth,
} from '@writ/merkle';
import { encodeBase64 } from '@writ/signing';

type LedgerRequest = Readonly<Record<string, unknown>> &
  Readonly<Record<'level' | 'index' | 'width' | 'from' | 'to' | 'leaf_index', number>>;

/**
 * A ledger with the receipts, notes and logs that a test gives it, by tenant. It computes tiles and proofs from the
 * logs.
 */
export class FakeLedger {
  readonly receipts = new Map<string, Receipt>();
  readonly checkpoints = new Map<string, string>();
  /** the records of each log */
  readonly logs = new Map<string, readonly Uint8Array[]>();
  /** the requests that it received */
  readonly requests: LedgerRequest[] = [];

  async serve(bus: ReturnType<typeof memoryBus>): Promise<void> {
    const answers: Record<string, (question: LedgerRequest) => unknown> = {
      'ledger.receipt': ({ tenant_id, operation_id, phase }) =>
        found(this.receipts.get(`${String(tenant_id)}/${String(operation_id)}/${String(phase)}`)),
      'ledger.checkpoint': ({ tenant_id }) => ({ checkpoint: found(this.checkpoints.get(String(tenant_id))) }),
      'ledger.tile': (question) => this.#tile(question),
      'ledger.entries': (question) => this.#entries(question),
      'ledger.signatures': (question) => this.#signatures(question),
      'ledger.records': (question) => this.#records(question),
      'ledger.record': (question) => this.#record(question),
      'ledger.inclusion': (question) => this.#inclusion(question),
      'ledger.export': (question) => this.#export(question),
      'ledger.consistency': (question) => this.#consistency(question),
    };
    for (const [name, answer] of Object.entries(answers)) {
      await bus.serve(subjectsOf('s0').request(name), {
        queue: 'ledger',
        concurrencyMax: 100,
        handler: async ({ payload }) => {
          this.requests.push(payload as LedgerRequest);
          return answer(payload as LedgerRequest);
        },
      });
    }
  }

  #logOf({ tenant_id }: LedgerRequest) {
    const records = found(this.logs.get(String(tenant_id)));
    const tiles = new Map(
      growTiles(0, records.map(leafHash), () => []).map((tile) => [
        `${String(tile.level)}/${String(tile.index)}`,
        tile.hashes,
      ]),
    );
    const readTile = (level: number, index: number): readonly Uint8Array[] =>
      tiles.get(`${String(level)}/${String(index)}`) ?? [];
    return { records, readTile, hashAt: hashAtFromTiles(readTile) };
  }

  #tile(question: LedgerRequest): unknown {
    const { records, readTile } = this.#logOf(question);
    if (tileWidth(question.level, question.index, records.length) < question.width) throw new Fault('not_found');
    return { hashes: encodeBase64(encodeTile(readTile(question.level, question.index).slice(0, question.width))) };
  }

  /** Two at a time, as if no more went into a message. */
  #entries(question: LedgerRequest): unknown {
    const { records } = this.#logOf(question);
    if (tileWidth(0, question.index, records.length) < question.width) throw new Fault('not_found');
    const from = question.index * 256 + question.from;
    return {
      entries: records.slice(from, Math.min(from + 2, question.index * 256 + question.width)).map(encodeBase64),
    };
  }

  #signatures(question: LedgerRequest): unknown {
    const { records } = this.#logOf(question);
    if (tileWidth(0, question.index, records.length) < question.width) throw new Fault('not_found');
    return {
      signatures: records
        .slice(question.index * 256, question.index * 256 + question.width)
        .map((_, i) => ({
          keyid: 'key',
          sig: encodeBase64(Buffer.from(`signature ${String(question.index * 256 + i)}`)),
        })),
    };
  }

  #inclusion(question: LedgerRequest): unknown {
    const { records, hashAt } = this.#logOf(question);
    const { leaf_index } = question;
    if (leaf_index >= records.length) throw new Fault('not_found');
    return {
      leaf_index,
      tree_size: records.length,
      hashes: proveInclusion(leaf_index, records.length, hashAt).map(encodeBase64),
      checkpoint: found(this.checkpoints.get(String(question['tenant_id']))),
    };
  }

  /** Three at a time, as if no more went into a message, in envelopes that nobody signed. */
  #export(question: LedgerRequest): unknown {
    const { records, hashAt } = this.#logOf(question);
    const size = records.length;
    return {
      newest_size: size,
      tree_size: size,
      checkpoint: found(this.checkpoints.get(String(question['tenant_id']))),
      records: records
        .slice(question.from, question.from + Math.min(3, Number(question['limit'])))
        .map((record, i) => ({
          leaf_index: question.from + i,
          hashes: proveInclusion(question.from + i, size, hashAt).map(encodeBase64),
          envelope: {
            payloadType: RECORD_PAYLOAD_TYPE,
            payload: encodeBase64(record),
            signatures: [{ keyid: 'k', sig: 'AAAA' }],
          },
        })),
    };
  }

  /** An empty page of records. */
  #records({ tenant_id }: LedgerRequest): unknown {
    const tree_size = this.logs.get(String(tenant_id))?.length ?? 0;
    return { items: [], next_cursor: null, indexed_to: tree_size, tree_size };
  }

  /** A record whose statement contains its leaf index. */
  #record(question: LedgerRequest): unknown {
    const inclusion = this.#inclusion(question);
    const payload = encodeBase64(Buffer.from(JSON.stringify({ place: question.leaf_index })));
    return {
      media_type: 'application/vnd.writ.receipt.v1+json',
      envelope: { payloadType: 'application/vnd.in-toto+json', payload, signatures: [{ keyid: 'k', sig: 'AAAA' }] },
      inclusion,
    };
  }

  #consistency(question: LedgerRequest): unknown {
    const { records, hashAt } = this.#logOf(question);
    const { from, to } = question;
    if (to > records.length) throw new Fault('not_found');
    return { from, to, hashes: proveConsistency(from, to, hashAt).map(encodeBase64) };
  }
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Fault('not_found', 'there is no such record in the log');
  return value;
}
