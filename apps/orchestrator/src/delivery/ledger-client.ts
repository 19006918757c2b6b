// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import {
  Consistency,
  EntriesReply,
  ExportReply,
  Fault,
  Inclusion,
  parseMessage,
  Receipt,
  RecordPage,
  Signatures,
  TileReply,
  type ExportRequest,
  type OperationId,
  type ReceiptRequest,
  type RecordsRequest,
  type RequestName,
  type Subjects,
  type TenantId,
} from '@writ/contract';
import { HASH_BYTES, type TileId } from '@writ/merkle';
import { encodeReceipt } from '@writ/receipt';
import { decodeBase64 } from '@writ/signing';
import { Type, type Static, type TSchema } from 'typebox';

const CheckpointReply = Type.Object({ checkpoint: Type.String() });

/** Longest wait for a reply: each request takes a few reads of the database. */
const ASK_MS = 5_000;

/** The client for the ledger's requests on the bus. */
export class LedgerClient {
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #now: () => number;

  constructor(bus: Bus, subjects: Subjects, now: () => number) {
    this.#bus = bus;
    this.#subjects = subjects;
    this.#now = now;
  }

  /** The receipt's file. Faults: `not_found` while it isn't logged, `ledger.unavailable`. */
  async receipt(tenant_id: TenantId, operation_id: OperationId, phase: ReceiptRequest['phase']): Promise<string> {
    return encodeReceipt(await this.#ask('ledger.receipt', Receipt, { tenant_id, operation_id, phase }));
  }

  /** The signed note of the tenant's log. Faults: `not_found` for a log without records, `ledger.unavailable`. */
  async checkpoint(tenant_id: TenantId): Promise<string> {
    return (await this.#ask('ledger.checkpoint', CheckpointReply, { tenant_id })).checkpoint;
  }

  /**
   * The hashes of a tile, one after another. Faults: `not_found` beyond the newest checkpoint, `ledger.unavailable`.
   */
  async tile(tenant_id: TenantId, { level, index, width }: TileId): Promise<Uint8Array> {
    return readReply(
      'ledger.tile',
      await this.#ask('ledger.tile', TileReply, { tenant_id, level, index, width }),
      ({ hashes }) => {
        const bytes = decodeBase64(hashes);
        if (bytes.length !== width * HASH_BYTES) throw new Error(`${String(bytes.length)} bytes`);
        return bytes;
      },
    );
  }

  /**
   * The records of an entry bundle, fetched in as many replies as needed. Faults: `not_found` beyond the newest
   * checkpoint, `ledger.unavailable`.
   */
  async entries(tenant_id: TenantId, index: number, width: number): Promise<Uint8Array[]> {
    const entries: Uint8Array[] = [];
    while (entries.length < width) {
      const reply = await this.#ask('ledger.entries', EntriesReply, { tenant_id, index, width, from: entries.length });
      entries.push(
        ...readReply('ledger.entries', reply, (parsed) => parsed.entries.map((entry) => decodeBase64(entry))),
      );
    }
    return entries;
  }

  /**
   * The signatures of the records of an entry bundle. Faults: `not_found` beyond the newest checkpoint,
   * `ledger.unavailable`.
   */
  async signatures(tenant_id: TenantId, index: number, width: number): Promise<Signatures> {
    return readReply(
      'ledger.signatures',
      await this.#ask('ledger.signatures', Signatures, { tenant_id, index, width }),
      (reply) => {
        if (reply.signatures.length !== width) throw new Error(`${String(reply.signatures.length)} signatures`);
        return reply;
      },
    );
  }

  /**
   * A leaf's inclusion proof for the newest checkpoint. Faults: `not_found` for a leaf beyond it, `ledger.unavailable`.
   */
  inclusion(tenant_id: TenantId, leaf_index: number): Promise<Inclusion> {
    return this.#ask('ledger.inclusion', Inclusion, { tenant_id, leaf_index });
  }

  /**
   * Faults: `request.malformed` for sizes out of order, `not_found` for one beyond the newest checkpoint,
   * `ledger.unavailable`.
   */
  consistency(tenant_id: TenantId, from: number, to: number): Promise<Consistency> {
    return this.#ask('ledger.consistency', Consistency, { tenant_id, from, to });
  }

  /**
   * Records with their proofs, as many as one reply holds. Faults: `not_found` for a log without records and for a tree
   * size without a signed checkpoint, `ledger.unavailable`.
   */
  export(tenant_id: TenantId, request: Omit<ExportRequest, 'v' | 'tenant_id'>): Promise<ExportReply> {
    return this.#ask('ledger.export', ExportReply, { tenant_id, ...request });
  }

  /** A page of records. Faults: `request.malformed` for a cursor of another query, `ledger.unavailable`. */
  records(query: Omit<RecordsRequest, 'v'>): Promise<RecordPage> {
    return this.#ask('ledger.records', RecordPage, query);
  }

  /** A record of the log, with its receipt. Faults: `not_found` beyond the newest checkpoint, `ledger.unavailable`. */
  record(tenant_id: TenantId, leaf_index: number): Promise<Receipt> {
    return this.#ask('ledger.record', Receipt, { tenant_id, leaf_index });
  }

  async #ask<S extends TSchema>(name: RequestName, schema: S, query: object): Promise<Static<S>> {
    const reply = await this.#reply(name, { v: 1, ...query });
    return readReply(name, reply, () => parseMessage(schema, reply));
  }

  async #reply(name: RequestName, request: unknown): Promise<unknown> {
    try {
      return await this.#bus.request(this.#subjects.request(name), request, { deadline: this.#now() + ASK_MS });
    } catch (error) {
      if (error instanceof Fault && (error.code === 'bus.unreachable' || error.code === 'deadline'))
        throw new Fault('ledger.unavailable', undefined, { cause: error });
      throw error;
    }
  }
}

/** Reads a reply of the ledger. A malformed reply is an `internal` fault, because the client did not cause it. */
function readReply<R, T>(name: string, reply: R, read: (reply: R) => T): T {
  try {
    return read(reply);
  } catch (cause) {
    throw new Fault('internal', undefined, {
      cause: new Error(`the answer of \`${name}\` is not as agreed`, { cause }),
    });
  }
}
