// SPDX-License-Identifier: Apache-2.0
// The ledger's append without the bus and without verification of signatures: its batches, its tree, its tables, its
// memory file and its checkpoints. Its argument is JSON: {url, memory, senders, records, seconds}.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { formatId, logIdOf } from '@writ/contract';
import { createPool } from '@writ/database';
import { parseSigner } from '@writ/signing';
import { Append } from '../../../apps/ledger/dist/append/append.js';
import { LogStore } from '../../../apps/ledger/dist/log/log-store.js';
import { Checkpoints } from '../../../apps/ledger/dist/signing/checkpoints.js';
import { SignedMemory } from '../../../apps/ledger/dist/signing/signed-memory.js';
import { measure } from '../measure.ts';

const { url, memory: path, senders, records, seconds } = JSON.parse(process.argv[2]);
const RECORD_BYTES = 1_500;
const TENANTS = 16;
/** What a request needs of a verified record: its size. */
const ENVELOPE = { payload: 'A'.repeat(RECORD_BYTES) };

const tenants = Array.from({ length: TENANTS }, () => formatId('tenant', randomBytes(16)));
const payloads = Array.from({ length: 1_024 }, () => Buffer.from(randomBytes(RECORD_BYTES / 2).toString('hex')));
let made = 0;
function newRecord() {
  const tenantId = tenants[made % TENANTS];
  const recordId = formatId('record', randomBytes(16));
  const entry = {
    logId: logIdOf(tenantId),
    tenantId,
    recordId,
    kind: 'tool_call',
    operationId: formatId('operation', randomBytes(16)),
    phase: 'decision',
    payload: payloads[made % payloads.length],
    keyid: 'bench',
    sig: Buffer.alloc(64),
    recordedAt: Date.now(),
    traceparent: null,
  };
  made += 1;
  return { record_id: recordId, tenant_id: tenantId, envelope: ENVELOPE, entry };
}

const pool = createPool({ url, applicationName: 'writ-ledger' });
const memory = new SignedMemory(path);
const signer = parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
const checkpoints = new Checkpoints(pool, memory, { name: 'writ.bench', signer }, (error) => {
  throw error;
});
const append = new Append(new LogStore(pool, memory), checkpoints, { verify: ({ entry }) => Promise.resolve(entry) });

const measured = await measure(
  { clients: senders, samples: Number.POSITIVE_INFINITY, warmUp: 20, msMax: seconds * 1_000 },
  async () => {
    const { appended } = await append.run({ v: 1, records: Array.from({ length: records }, newRecord) });
    if (appended.some(({ leaf_index }) => leaf_index === null)) throw new Error('a record was refused');
  },
);
await memory.close();
await pool.end();
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify({ measured, cpuUs: (user + system) / made }));
