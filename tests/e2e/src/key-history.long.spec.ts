// SPDX-License-Identifier: Apache-2.0
// A record key is revoked. Its earlier signatures stay valid, by their log index alone; later ones are invalid, even in
// a log that contains them.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { RECORD_PAYLOAD_TYPE } from '@writ/contract';
import { connect } from '@writ/database';
import { canonicalBytes, parseIJson } from '@writ/digest';
import { leafHash, proveInclusion, rootOf } from '@writ/merkle';
import { newId } from '@writ/nest-kit';
import { assembleReceipt, encodeReceipt, parseReceipt } from '@writ/receipt';
import {
  decodeBase64,
  formatCheckpoint,
  formatNoteKey,
  parseCheckpoint,
  parseNote,
  parseNoteKey,
  parseRing,
  sealEnvelope,
  signNote,
  stateAt,
  verifyNote,
  type Envelope,
  type Signer,
} from '@writ/signing';
import {
  DEPLOYMENT,
  eventually,
  expectCleanLog,
  fsck,
  makeWorld,
  receiptOfCall,
  startStack,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
/** A revocation reaches the logs within 45 seconds; longer on a busy machine. */
const LONG_MS = 240_000;
const CLI = join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js');

let stack: Stack;
let world: World;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-key-history-'));
  stack = await startStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stack?.stop();
});

interface Printed {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
const online = (...args: string[]): Printed =>
  spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
    cwd: folder,
    env: { WRIT_URL: stack.url, WRIT_API_KEY: String(world.auditor.key) },
  });
/** Verifies as a third party: with the published keys and the given files, and no connection. */
const verifiedBy = (keys: string, file: string, ...args: string[]): Printed =>
  spawnSync(process.execPath, [CLI, 'verify', file, '--keys', keys, ...args], {
    encoding: 'utf8',
    env: {},
    cwd: folder,
  });
const verified = (file: string, ...args: string[]): Printed => verifiedBy(stack.keys.publicKeysFile, file, ...args);
/** The published keys as they are now, for a verifier that never fetches them again. */
const keepKeys = (name: string): void => {
  copyFileSync(stack.keys.publicKeysFile, join(folder, name));
};
const ring = () => parseRing(readFileSync(stack.keys.file('record.json'), 'utf8'));
const signerOf = (file: string): string =>
  parseReceipt(readFileSync(join(folder, file))).envelope.signatures[0]?.keyid ?? '';

/** Makes a call and keeps its receipt; returns the call's operation. */
async function keepReceipt(name: string): Promise<string> {
  const { body, file } = await receiptOfCall(world, LONG_MS);
  writeFileSync(join(folder, name), file);
  return String(body.operation_id);
}

/** The key that signed the checkpoint of a receipt: its hash in the note (C2SP signed-note). */
function checkpointKeyOf(file: string): string {
  const line =
    parseReceipt(readFileSync(join(folder, file)))
      .inclusion.checkpoint.split('\n')
      .find((each) => each.startsWith(`— ${DEPLOYMENT} `)) ?? '';
  return Buffer.from(line.split(' ')[2] ?? '', 'base64')
    .subarray(0, 4)
    .toString('hex');
}

/** A record like the kernel's, signed with this key, at the end of a log whose ledger accepts and signs it. */
function forgedAtEnd(file: string, payloads: readonly Uint8Array[], signer: Signer): string {
  const statement = parseIJson(decodeBase64(parseReceipt(readFileSync(join(folder, file))).envelope.payload), {
    depthMax: 16,
  }) as { predicate: Record<string, unknown> };
  const predicate: Record<string, unknown> = {
    ...statement.predicate,
    record_id: newId('record'),
    kernel_key_id: signer.keyid,
  };
  const envelope = sealEnvelope(RECORD_PAYLOAD_TYPE, canonicalBytes({ ...statement, predicate }), signer);
  const hashes = [...payloads, decodeBase64(envelope.payload)].map(leafHash);
  const text = formatCheckpoint({
    origin: `${DEPLOYMENT}/${String(predicate['log_id'])}`,
    treeSize: hashes.length,
    root: rootOf(hashes),
  });
  const proof = proveInclusion(payloads.length, hashes.length, (level, index) =>
    rootOf(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level)),
  );
  return encodeReceipt(
    assembleReceipt(envelope, {
      leafIndex: payloads.length,
      treeSize: hashes.length,
      hashes: proof,
      checkpoint: signNote(text, { name: DEPLOYMENT, signer: stack.keys.checkpoint }),
    }),
  );
}

async function payloadsOfLog(): Promise<Uint8Array[]> {
  const answer = await fetch(`${stack.url}/v1/exports/records?format=dsse`, {
    headers: { authorization: `Bearer ${String(world.auditor.key)}` },
  });
  return (await answer.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => decodeBase64((JSON.parse(line) as { envelope: Envelope }).envelope.payload));
}

test("records from before a key's revocation verify by their index, and later ones do not", async () => {
  await keepReceipt('old.json');
  keepKeys('keys-of-old.json');
  expect(online('export', 'bundle', '--since', '1970-01-01T00:00Z', '--out', 'before.tar')).toMatchObject({
    status: 0,
  });
  const lost = ring().keys.find((key) => stateAt(key, Date.now()) === 'current')!;
  expect(signerOf('old.json')).toBe(lost.keyid);
  const keysFolder = stack.keys.file('');
  const revoking = spawnSync(
    process.execPath,
    [CLI, 'signing-keys', 'revoke', 'record', `--kid=${lost.keyid}`, '--keys', keysFolder, '--public', keysFolder],
    { encoding: 'utf8', env: {} },
  );
  expect(revoking).toMatchObject({ status: 0 });
  const rotating = spawnSync(
    process.execPath,
    [CLI, 'signing-keys', 'rotate', 'checkpoint', '--overlap', '10s', '--keys', keysFolder, '--public', keysFolder],
    { encoding: 'utf8', env: {} },
  );
  expect(rotating).toMatchObject({ status: 0 });

  expect(verified('old.json')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('nothing here shows that the record is older'),
  });
  let shown: readonly object[] = [];
  const said = await eventually(
    'the revocation in the log',
    async () => {
      const { status, stdout } = online(
        'log',
        'keys',
        '--keys',
        stack.keys.publicKeysFile,
        '--out',
        'key-history.ndjson',
        '--json',
      );
      if (status !== 0) return null;
      const { events } = JSON.parse(stdout) as {
        events: { event: string; keyid: string; counts: boolean; leaf_index: number }[];
      };
      shown = events;
      return events.find(({ event, keyid, counts }) => event === 'revoked' && keyid === lost.keyid && counts) ?? null;
    },
    LONG_MS,
  );
  // The kernel's log has the changes of the ledger's keys too. The first may be signed by the lost key, from before its
  // revocation: it was due earlier.
  const [before, next] = parseRing(readFileSync(stack.keys.file('checkpoint.json'), 'utf8')).keys;
  expect(shown).toContainEqual(
    expect.objectContaining({ event: 'introduced', purpose: 'checkpoint', keyid: next?.keyid }),
  );
  expect(shown).toContainEqual(
    expect.objectContaining({ event: 'retired', purpose: 'checkpoint', keyid: before?.keyid, counts: true }),
  );
  await keepReceipt('fresh.json');
  expect(signerOf('fresh.json')).not.toBe(lost.keyid);

  const history = ['--key-history', 'key-history.ndjson'];
  expect(verified('old.json', ...history)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      new RegExp(`recorded before the revocation \\(leaf \\d+ < ${String(said.leaf_index)}\\)`),
    ),
  });
  expect(verified('fresh.json')).toMatchObject({ status: 0 });

  const payloads = await payloadsOfLog();
  writeFileSync(join(folder, 'forged.json'), forgedAtEnd('old.json', payloads, lost.signer!));
  expect(verified('forged.json', ...history)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      `before the record was logged (leaf ${String(payloads.length)} > ${String(said.leaf_index)})`,
    ),
  });
  writeFileSync(join(folder, 'honest.json'), forgedAtEnd('fresh.json', payloads, ring().keys.at(-1)!.signer!));
  expect(verified('honest.json', ...history)).toMatchObject({ status: 0 });
});

test('a history revokes no record key for a list of keys from before the revocation', () => {
  const history = ['--key-history', 'key-history.ndjson'];
  // A verifier that lacks the signing key of a revocation can't read the history, and doesn't skip what it can't read.
  for (const file of ['old.json', 'forged.json']) {
    expect(verifiedBy('keys-of-old.json', file)).toMatchObject({ status: 0 });
    expect(verifiedBy('keys-of-old.json', file, ...history)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('key-history.ndjson'),
    });
  }
  for (const args of [[], history]) expect(verifiedBy('keys-of-old.json', 'fresh.json', ...args).status).toBe(1);
  // A verifier that has it, and doesn't know that the other key is lost, still trusts the lost key. Otherwise a thief
  // could revoke the keys that are to revoke his.
  const published = JSON.parse(readFileSync(stack.keys.publicKeysFile, 'utf8')) as {
    record_keys: Record<string, unknown>[];
  };
  writeFileSync(
    join(folder, 'keys-unrevoked.json'),
    JSON.stringify({ ...published, record_keys: published.record_keys.map(({ revoked_from: _, ...key }) => key) }),
  );
  for (const file of ['old.json', 'forged.json', 'fresh.json'])
    expect(verifiedBy('keys-unrevoked.json', file, ...history)).toMatchObject({ status: 0 });
});

test('a bundle from before the revocation verifies with the history, a later one contains it', () => {
  expect(online('export', 'bundle', '--since', '1970-01-01T00:00Z', '--out', 'after.tar')).toMatchObject({ status: 0 });
  expect(verified('before.tar').status).toBe(1);
  const before = verified('before.tar', '--key-history', 'key-history.ndjson', '--json');
  expect(before).toMatchObject({ status: 0 });
  expect(JSON.parse(before.stdout) as JsonValue).toMatchObject({
    ok: true,
    proven: expect.arrayContaining([expect.stringContaining('recorded before the revocation')]),
    not_proven: [expect.stringContaining('who made the bundle')],
  });
  const after = verified('after.tar', '--json');
  expect(after).toMatchObject({ status: 0 });
  expect(JSON.parse(after.stdout) as JsonValue).toMatchObject({
    ok: true,
    not_proven: [],
    proven: expect.arrayContaining([expect.stringContaining('recorded before the revocation')]),
  });
});

test('the whole log verifies, and the checker finds nothing', () => {
  const { status, stdout, stderr } = online('log', 'verify', '--keys', stack.keys.publicKeysFile, '--json');
  expect([status, stderr]).toEqual([0, '']);
  const { signatures } = JSON.parse(stdout) as {
    signatures: { by_keys_revoked_since: number; before_revocation: number };
  };
  expect(signatures.by_keys_revoked_since).toBeGreaterThan(0);
  expect(signatures.before_revocation).toBe(signatures.by_keys_revoked_since);
  expectCleanLog(stack);
});

/**
 * Roots that the ledger stored under a lost key match the leaves, and the checker names the key. Another root by the
 * thief in their place is found.
 */
async function expectHarmlessInPlace(lost: Signer): Promise<void> {
  const clean = fsck(stack);
  expect(clean).toMatchObject({
    status: 0,
    output: expect.stringMatching(/ checkpoints, \d+ of them by a key revoked since/),
  });
  const client = await connect(stack.database.ownerUrl, 'key-history');
  try {
    const { rows } = await client.query<{ tree_size: string; note: string }>(
      'SELECT tree_size, note FROM ledger.checkpoint WHERE tenant_id = $1 ORDER BY tree_size',
      [world.tenantId],
    );
    const known = parseNoteKey(formatNoteKey(DEPLOYMENT, lost.publicKey));
    const { tree_size, note } = rows.findLast((row) =>
      parseNote(row.note).signatures.some(({ keyHash }) => keyHash === known.keyHash),
    )!;
    const { origin, treeSize } = parseCheckpoint(verifyNote(note, [known]).text);
    const forged = signNote(formatCheckpoint({ origin, treeSize, root: new Uint8Array(32) }), {
      name: DEPLOYMENT,
      signer: lost,
    });
    const put = (text: string) =>
      client.query(
        `SET session_replication_role = replica; UPDATE ledger.checkpoint SET note = '${text}' WHERE tenant_id = '${world.tenantId}' AND tree_size = ${tree_size}`,
      );
    await put(forged);
    expect(fsck(stack)).toMatchObject({
      status: 1,
      output: expect.stringContaining(
        `checkpoint ${tree_size} signs another root than that of the leaves, by a key revoked since`,
      ),
    });
    await put(note);
    expect(fsck(stack).status).toBe(0);
  } finally {
    await client.end();
  }
}

test('a checkpoint of a revoked key verifies nowhere, and its record verifies under the next key', async () => {
  const operation = await keepReceipt('kept.json');
  const { keyid: was, signer: lost } = parseRing(readFileSync(stack.keys.file('checkpoint.json'), 'utf8')).keys.find(
    (key) => stateAt(key, Date.now()) === 'current',
  )!;
  expect(verified('kept.json')).toMatchObject({ status: 0 });
  keepKeys('keys-of-kept.json');
  const keysFolder = stack.keys.file('');
  expect(
    spawnSync(
      process.execPath,
      [CLI, 'signing-keys', 'rotate', 'checkpoint', '--overlap', '5s', '--keys', keysFolder, '--public', keysFolder],
      { encoding: 'utf8', env: {} },
    ),
  ).toMatchObject({ status: 0 });
  keepKeys('keys-with-heir.json');
  expect(
    spawnSync(
      process.execPath,
      [CLI, 'signing-keys', 'revoke', 'checkpoint', `--kid=${was}`, '--keys', keysFolder, '--public', keysFolder],
      { encoding: 'utf8', env: {} },
    ),
  ).toMatchObject({ status: 0 });

  expect(verified('kept.json')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no known key has signed'),
  });
  await eventually(
    'the revocation in the log',
    async () => {
      const { status, stdout } = online(
        'log',
        'keys',
        '--keys',
        stack.keys.publicKeysFile,
        '--out',
        'history-after.ndjson',
        '--json',
      );
      if (status !== 0) return null;
      const { events } = JSON.parse(stdout) as {
        events: { event: string; purpose: string; keyid: string; counts: boolean }[];
      };
      return (
        events.find(
          ({ event, purpose, keyid, counts }) =>
            event === 'revoked' && purpose === 'checkpoint' && keyid === was && counts,
        ) ?? null
      );
    },
    LONG_MS,
  );
  expect(verified('kept.json', '--key-history', 'history-after.ndjson')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no known key has signed'),
  });

  await eventually(
    'the receipt under the key that follows',
    async () => {
      const answer = await world.admin.get(`/v1/operations/${operation}/receipt`);
      if (answer.status !== 200) return null;
      writeFileSync(join(folder, 'anew.json'), answer.text);
      return checkpointKeyOf('anew.json') === checkpointKeyOf('kept.json') ? null : true;
    },
    LONG_MS,
  );
  const [kept, anew] = ['kept.json', 'anew.json'].map(
    (file) => parseReceipt(readFileSync(join(folder, file))).envelope,
  );
  expect(anew).toEqual(kept);
  expect(verified('anew.json', '--key-history', 'history-after.ndjson')).toMatchObject({ status: 0 });
  await expectHarmlessInPlace(lost!);
});

test("a list from before a checkpoint key's revocation refuses it by a readable history, and trusts no new key", () => {
  const history = ['--key-history', 'history-after.ndjson'];
  // The successor was introduced before the list was saved.
  expect(verifiedBy('keys-with-heir.json', 'kept.json')).toMatchObject({ status: 0 });
  expect(verifiedBy('keys-with-heir.json', 'kept.json', ...history)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('the log says that the key of this checkpoint was revoked'),
  });
  for (const args of [[], history])
    expect(verifiedBy('keys-with-heir.json', 'anew.json', ...args)).toMatchObject({ status: 0 });
  // The history is under a key that this verifier doesn't have. So it refuses the history and what depends on it, and
  // trusts no key from it.
  expect(verifiedBy('keys-of-kept.json', 'kept.json')).toMatchObject({ status: 0 });
  expect(verifiedBy('keys-of-kept.json', 'kept.json', ...history)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/history-after\.ndjson.*no known key has signed/),
  });
  for (const args of [[], history]) expect(verifiedBy('keys-of-kept.json', 'anew.json', ...args).status).toBe(1);
});
