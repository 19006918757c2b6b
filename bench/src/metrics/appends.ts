// SPDX-License-Identifier: Apache-2.0
//
// The ledger's append, called as the kernel calls it: `ledger.append` over the bus, with the records that gathered
// while a sender's last request was in flight.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@writ/bus';
import {
  formatId,
  logIdOf,
  predicateTypeOf,
  RECORD_PAYLOAD_TYPE,
  subjectsOf,
  type AppendReply,
  type AppendRequest,
  type TenantId,
} from '@writ/contract';
import { connect } from '@writ/database';
import { canonicalBytes } from '@writ/digest';
import { parseSigner, sealEnvelope, type Signer } from '@writ/signing';
import { decisionRecord, SHARD, startStack, type Stack } from '@writ/stack';
import { testDatabase } from '@writ/testing';
import { measure, summarise, type Load, type Metric } from '../measure.ts';
import { processorTime, printEach } from '../processor-time.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;
type Sent = AppendRequest['records'][number];

/** Bytes of a call's statement: about what a usual one has. */
const RECORD_BYTES = 1_500;
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** Tenants of the reference's rows. */
const TENANTS = 16;
/** Replicas of the kernel: each sends one request at a time. */
const SENDERS = 2;
/** The kernel's own limit for one request. */
export const REQUEST_RECORDS = 200;
const ANSWER_MS = 10_000;
/** The first records of a log and the first runs of its code, which don't count. */
const WARM_UP_SECONDS = 2;
/** Records that are signed before the clock starts: signing is the kernel's work. No more are sent. */
const SEALED_PER_SECOND = 10_000;

/** That many producers, each with one record in flight, over that many tenants in turn. */
export interface Appending {
  readonly producers: number;
  readonly tenants: number;
  readonly seconds: number;
}

/**
 * One record from its producer to the answer with its index: verified, committed, and its root signed. It has its own
 * stack: a bus, a database and a ledger.
 */
export async function appends({ producers, tenants, seconds }: Appending): Promise<Measured> {
  const stack = await startStack({ without: ['kernel', 'executor', 'orchestrator'] });
  const bus = await stack.busAs('kernel');
  try {
    const records = sealedRecords(
      tenants,
      seconds * (producers > 1 ? SEALED_PER_SECOND : SEALED_PER_SECOND / 10),
      recordKey(stack),
    );
    const senders = Array.from({ length: Math.min(SENDERS, producers) }, () => new Sender(bus));
    const load: Load = { clients: producers, samples: records.length, warmUp: 0, msMax: seconds * 1_000 };
    let next = 0;
    const before = await processorTime(stack, ['ledger']);
    const measured = await measure(load, (producer) =>
      (senders[producer % senders.length] as Sender).append(records[next++] as Sent),
    );
    printEach('a record', before, await processorTime(stack, ['ledger']), measured.n);
    return measured;
  } finally {
    await bus.close();
    await stack.stop();
  }
}

/**
 * One record from its producer to the signed checkpoint that covers it, as an open loop. Records arrive as a Poisson
 * process, whether or not earlier ones were answered, so that queueing counts.
 */
export async function appendLatency({
  perSecond,
  tenants,
  seconds,
}: {
  readonly perSecond: number;
  readonly tenants: number;
  readonly seconds: number;
}): Promise<Measured> {
  const stack = await startStack({ without: ['kernel', 'executor', 'orchestrator'] });
  const bus = await stack.busAs('kernel');
  try {
    const senders = Array.from({ length: SENDERS }, () => new Sender(bus));
    const warmUp = perSecond * WARM_UP_SECONDS;
    const records = sealedRecords(tenants, warmUp + perSecond * seconds, recordKey(stack));
    const times: number[] = [];
    const answers: Promise<void>[] = [];
    const began = performance.now();
    let due = 0;
    for (const [i, record] of records.entries()) {
      due += (-Math.log(1 - Math.random()) * 1_000) / perSecond;
      const ahead = due - (performance.now() - began);
      if (ahead > 0) await sleep(ahead);
      const at = performance.now();
      answers.push(
        (senders[i % senders.length] as Sender).append(record).then(() => {
          if (i >= warmUp) times.push(performance.now() - at);
        }),
      );
    }
    await Promise.all(answers);
    return summarise(times, (performance.now() - began) * (times.length / records.length));
  } finally {
    await bus.close();
    await stack.stop();
  }
}

/**
 * The reference: the same rows into a table with the same indexes, by the driver alone. Each statement has as many rows
 * as a request has records, and commits before the next.
 */
export async function batchInserts({ seconds }: { readonly seconds: number }): Promise<Measured> {
  const database = await testDatabase();
  const client = await connect(database.ownerUrl, 'bench');
  try {
    await client.query('CREATE TABLE public.leaf (LIKE ledger.leaf INCLUDING ALL)');
    await client.query('SET synchronous_commit = on');
    const signer = newSigner();
    const columns = 11;
    const rows = Array.from(
      { length: REQUEST_RECORDS },
      (_, row) => `(${Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`).join(', ')})`,
    );
    const text = `INSERT INTO public.leaf (log_id, leaf_index, tenant_id, record_id, kind, operation_id, phase, payload, keyid, sig, recorded_at) VALUES ${rows.join(', ')}`;
    const records = sealedRecords(TENANTS, seconds * SEALED_PER_SECOND, signer).map(
      ({ record_id, tenant_id, envelope }, index) => [
        logIdOf(tenant_id),
        index,
        tenant_id,
        record_id,
        'tool_call',
        formatId('operation', randomBytes(16)),
        'decision',
        Buffer.from(envelope.payload, 'base64'),
        signer.keyid,
        Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'),
        Date.now(),
      ],
    );
    let next = 0;
    const load: Load = {
      clients: 1,
      samples: Math.floor(records.length / REQUEST_RECORDS),
      warmUp: 0,
      msMax: seconds * 1_000,
    };
    const measured = await measure(load, async () => {
      await client.query({ name: 'insert', text, values: records.slice(next, (next += REQUEST_RECORDS)).flat() });
    });
    return { ...measured, n: measured.n * REQUEST_RECORDS, rate: (measured.rate ?? 0) * REQUEST_RECORDS };
  } finally {
    await client.end();
    await database.drop();
  }
}

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);

const recordKey = (stack: Stack): Signer => stack.keys.record;

/**
 * Gathers records while its last request is in flight and until the turn of the event loop ends, as the kernel's sender
 * does.
 */
class Sender {
  readonly #bus: Bus;
  readonly #subject = subjectsOf(SHARD).request('ledger.append');
  #waiting: { record: Sent; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #isSending = false;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  append(record: Sent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
      if (!this.#isSending) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isSending = true;
    for (;;) {
      await endOfTurn();
      if (this.#waiting.length === 0) break;
      const batch = this.#waiting.splice(0, REQUEST_RECORDS);
      try {
        const reply = (await this.#bus.request(
          this.#subject,
          { v: 1, records: batch.map(({ record }) => record) },
          { deadline: Date.now() + ANSWER_MS },
        )) as AppendReply;
        const refused = reply.appended.find(({ leaf_index }) => leaf_index === null);
        if (refused !== undefined) throw new Error(`a record was refused: ${refused.fault ?? 'no reason'}`);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isSending = false;
  }
}

/** Records of an outcome's size, with the fields that the ledger reads, signed by the kernel's key. */
function sealedRecords(tenants: number, count: number, signer: Signer): Sent[] {
  const ids = Array.from({ length: tenants }, () => formatId('tenant', randomBytes(16)));
  return Array.from({ length: count }, (_, n) => sealedRecord(ids[n % tenants] as TenantId, signer));
}

function sealedRecord(tenant_id: TenantId, signer: Signer): Sent {
  const record = decisionRecord(tenant_id, signer.keyid);
  const bytesOf = (filler: string): Uint8Array =>
    canonicalBytes({
      _type: STATEMENT_TYPE,
      subject: [{ name: record.operation_id ?? '', digest: { sha256: record.args_hash ?? '' } }],
      predicateType: predicateTypeOf(record.kind),
      predicate: { ...record, rule_ids: [filler] },
    });
  const payload = bytesOf('x'.repeat(RECORD_BYTES - bytesOf('').length));
  return { record_id: record.record_id, tenant_id, envelope: sealEnvelope(RECORD_PAYLOAD_TYPE, payload, signer) };
}
