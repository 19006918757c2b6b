// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  formatId,
  logIdOf,
  RECORD_PAYLOAD_TYPE,
  type AppendReply,
  type AppendRequest,
  type TenantId,
} from '@writ/contract';
import { connect, createPool, type Pool } from '@writ/database';
import { canonicalBytes } from '@writ/digest';
import {
  decodeBase64,
  formatNoteKey,
  type KnownKey,
  parseNoteKey,
  parseSigner,
  parseVerifier,
  sealEnvelope,
  type Signer,
} from '@writ/signing';
import { testDatabase, type TestDatabase } from '@writ/testing';
import { Append } from '../append/append.ts';
import { RecordVerifier } from '../append/record-verifier.ts';
import { ExportPages } from '../log/export-pages.ts';
import { InclusionProofs } from '../log/inclusion-proofs.ts';
import { LogReader } from '../log/log-reader.ts';
import { LogStore } from '../log/log-store.ts';
import { Receipts } from '../log/receipts.ts';
import { SignedLog } from '../log/signed-log.ts';
import { Checkpoints, NO_WITNESSES, type Witnessing } from '../signing/checkpoints.ts';
import { SignedMemory } from '../signing/signed-memory.ts';

/** A record in the form in which the kernel sends it. */
export type SentRecord = AppendRequest['records'][number];

export const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
export const kernel = newSigner();
const ledgerKey = newSigner();
export const noteKey = parseNoteKey(formatNoteKey('writ.test', ledgerKey.publicKey));
export const newTenant = (): TenantId => formatId('tenant', randomBytes(16));

/** A signed record of an outcome; `over` replaces members of its predicate. */
export function record(tenant_id: TenantId, over: Record<string, unknown> = {}, signer = kernel): SentRecord {
  const record_id = formatId('record', randomBytes(16));
  const operation_id = formatId('operation', randomBytes(16));
  const predicate = {
    v: 1,
    record_id,
    tenant_id,
    log_id: logIdOf(tenant_id),
    kind: 'tool_call',
    kernel_key_id: signer.keyid,
    recorded_at: 1,
    operation_id,
    phase: 'outcome',
    ...over,
  };
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: `https://writ.dev/record/${predicate.kind}/v1`,
    subject: [],
    predicate,
  };
  return { record_id, tenant_id, envelope: sealEnvelope(RECORD_PAYLOAD_TYPE, canonicalBytes(statement), signer) };
}

/** The key of a signer, valid at any time by default. */
export const knownKey = (signer: Signer, over: Partial<KnownKey> = {}): KnownKey => ({
  ...parseVerifier(signer.publicJwk),
  notBefore: null,
  notAfter: null,
  closesAt: null,
  ...over,
});

export const payloadOf = (sent: SentRecord): Uint8Array => decodeBase64(sent.envelope.payload);
export const operationOf = (sent: SentRecord): string =>
  (JSON.parse(Buffer.from(payloadOf(sent)).toString()) as { predicate: { operation_id: string } }).predicate
    .operation_id;

/** One replica of the ledger, with its own memory file. */
export interface Replica {
  readonly append: (records: SentRecord[]) => Promise<AppendReply>;
  readonly receipts: Receipts;
  readonly reader: LogReader;
  readonly pages: ExportPages;
  readonly memory: SignedMemory;
  readonly log: SignedLog;
}

/** The ledger on a real database. */
export class TestLedger {
  readonly database: TestDatabase;
  readonly pool: Pool;
  readonly #folder = mkdtempSync(join(tmpdir(), 'writ-ledger-'));

  private constructor(database: TestDatabase) {
    this.database = database;
    this.pool = createPool({ url: database.urlFor('writ_ledger'), applicationName: 'ledger-spec' });
  }

  static async open(): Promise<TestLedger> {
    return new TestLedger(await testDatabase());
  }

  replica(name: string, witnessing: Witnessing = NO_WITNESSES): Replica {
    const memory = new SignedMemory(join(this.#folder, name));
    const checkpoints = new Checkpoints(
      this.pool,
      memory,
      { name: 'writ.test', signer: ledgerKey },
      () => undefined,
      witnessing,
    );
    const log = new SignedLog(this.pool, checkpoints);
    const append = new Append(
      new LogStore(this.pool, memory),
      checkpoints,
      new RecordVerifier(new Map([[kernel.keyid, knownKey(kernel)]]), Date.now),
    );
    return {
      append: (records) => append.run({ v: 1, records }),
      receipts: new Receipts(log),
      reader: new LogReader(log, new InclusionProofs(this.pool, memory, witnessing.quorum)),
      pages: new ExportPages(log, checkpoints),
      memory,
      log,
    };
  }

  /** A connection as the owner of the tables. Its caller closes it. */
  asOwner(): ReturnType<typeof connect> {
    return connect(this.database.ownerUrl, 'ledger-spec-owner');
  }

  /** Changes rows as the owner of the database could: without triggers, foreign keys and row-level security. */
  async tamper(statements: readonly (readonly [text: string, values: readonly unknown[]])[]): Promise<void> {
    const owner = await this.asOwner();
    try {
      await owner.query('SET session_replication_role = replica');
      for (const [text, values] of statements) await owner.query(text, [...values]);
    } finally {
      await owner.end();
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.database.drop();
    rmSync(this.#folder, { recursive: true });
  }
}
