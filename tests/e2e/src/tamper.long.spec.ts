// SPDX-License-Identifier: Apache-2.0
// The verifier or the checker detects any change of a receipt, a stored record, a tile, a root or a checkpoint.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { connect } from '@writ/database';
import { parseKeySet, ReceiptError, verifyReceiptFile, type KeySet } from '@writ/receipt';
import { cosign, formatCosignerKey, parseNote } from '@writ/signing';
import {
  Api,
  eventually,
  expectCleanLog,
  fsck,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: Stack;
let world: World;
let observer: Observer;
let keys: KeySet;
let operationId: string;
let receipt: Buffer;

beforeAll(async () => {
  stack = await startStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
  keys = parseKeySet(readFileSync(stack.keys.publicKeysFile));
  for (const path of ['b.txt', 'c.txt', 'd.txt'])
    operationId = (await world.call('fs.write', { path, content: 'x' })).body.operation_id as string;
  await verifiedReceipt(stack, world, operationId);
  receipt = Buffer.from((await world.auditor.get(`/v1/operations/${operationId}/receipt`)).text);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

/** The name of the failed check; null where the file verifies. */
function failedCheck(file: Uint8Array): string | null {
  try {
    verifyReceiptFile(file, keys, { operationId });
    return null;
  } catch (error) {
    if (error instanceof ReceiptError) return error.check;
    throw error;
  }
}

describe('a receipt file', () => {
  it('verifies as it is, with the published keys', async () => {
    expect(failedCheck(receipt)).toBeNull();
    const published = await new Api(stack.url).get('/.well-known/writ-keys.json');
    expect(published.status).toBe(200);
    const { record, isReformatted } = verifyReceiptFile(receipt, parseKeySet(published.text), { operationId });
    expect([record.operation_id, isReformatted]).toEqual([operationId, false]);
  });

  it('fails with any one byte changed, cut, doubled or added, unless only its white space differs', () => {
    const passing: string[] = [];
    const content = JSON.stringify(JSON.parse(receipt.toString()));
    const isSameContent = (file: Uint8Array): boolean => {
      try {
        return JSON.stringify(JSON.parse(Buffer.from(file).toString())) === content;
      } catch {
        return false;
      }
    };
    const must = (what: string, file: Uint8Array): void => {
      if (failedCheck(file) === null && !isSameContent(file)) passing.push(what);
    };
    for (let at = 0; at < receipt.length; at += 1) {
      for (const mask of [0x01, 0x20, 0x80]) {
        const flipped = Buffer.from(receipt);
        flipped.writeUInt8(flipped.readUInt8(at) ^ mask, at);
        must(`byte ${at} ^ ${mask}`, flipped);
      }
      must(`without byte ${at}`, Buffer.concat([receipt.subarray(0, at), receipt.subarray(at + 1)]));
      must(`byte ${at} twice`, Buffer.concat([receipt.subarray(0, at + 1), receipt.subarray(at)]));
    }
    for (let length = 0; length < receipt.length; length += 7) must(`the first ${length}`, receipt.subarray(0, length));
    for (const end of ['\n', ' ', '\0', '{}'])
      must(`with ${JSON.stringify(end)} added`, Buffer.concat([receipt, Buffer.from(end)]));
    expect(passing).toEqual([]);
  });

  it("of another call, log or deployment isn't this call's", async () => {
    const other = (await world.call('fs.read', { path: 'a.txt' })).body.operation_id as string;
    await verifiedReceipt(stack, world, other);
    expect(failedCheck(Buffer.from((await world.admin.get(`/v1/operations/${other}/receipt`)).text))).not.toBeNull();
    const stranger = await makeWorld(stack.url, stack.keys.platformKey);
    const theirs = (await stranger.call('fs.list', {})).body.operation_id as string;
    await verifiedReceipt(stack, stranger, theirs);
    const mixed = JSON.parse(receipt.toString()) as JsonValue;
    mixed.inclusion = (
      JSON.parse((await stranger.admin.get(`/v1/operations/${theirs}/receipt`)).text) as JsonValue
    ).inclusion;
    expect(failedCheck(Buffer.from(`${JSON.stringify(mixed)}\n`))).not.toBeNull();
  });

  it('is verified by the command line tool, which names the failed check', () => {
    const file = join(stack.folder, 'receipt.json');
    const verify = (bytes: Uint8Array) => {
      writeFileSync(file, bytes);
      // Offline: neither an address nor a key is in its environment.
      return spawnSync(
        process.execPath,
        [
          join(repositoryRoot(), 'apps', 'cli', 'bin', 'writ.mjs'),
          'verify',
          file,
          '--keys',
          stack.keys.publicKeysFile,
          '--json',
        ],
        { encoding: 'utf8', cwd: stack.folder, env: { PATH: process.env['PATH'] } },
      );
    };
    const good = verify(receipt);
    expect({ status: good.status, err: good.stderr }).toEqual({ status: 0, err: '' });
    const payloadAt = receipt.indexOf('"payload":"') + 200;
    for (const [what, at] of [
      ['the first byte', 0],
      ['the payload', payloadAt],
      ['the signature', receipt.indexOf('"sig":"') + 20],
      ['the proof', receipt.indexOf('"checkpoint"') - 30],
      ['the checkpoint', receipt.indexOf('"checkpoint"') + 40],
    ] as const) {
      const flipped = Buffer.from(receipt);
      // Another letter of the base64 alphabet, so that the file is still well-formed there.
      flipped.writeUInt8(flipped.readUInt8(at) === 0x41 ? 0x42 : 0x41, at);
      const bad = verify(flipped);
      expect({
        what,
        status: bad.status,
        isNamed: failedCheck(flipped) !== null && `${bad.stdout}${bad.stderr}`.includes(failedCheck(flipped)!),
      }).toEqual({ what, status: 1, isNamed: true });
    }
  });
});

describe('the stored log', () => {
  /** Changes a value of that type into another one. */
  const CHANGED: Readonly<Record<string, (column: string) => string>> = {
    text: (column) => `coalesce(${column}, '') || 'x'`,
    bigint: (column) => `${column} + 1000`,
    smallint: (column) => `${column} + 1`,
    boolean: (column) => `NOT ${column}`,
    'double precision': (column) => `coalesce(${column}, 0) + 0.5`,
    tsvector: (column) => `${column} || 'x'::tsvector`,
    bytea: (column) => `set_byte(${column}, length(${column}) / 2, get_byte(${column}, length(${column}) / 2) # 1)`,
  };

  /** A witness's cosignature of a log's newest checkpoint, as the ledger would store it. */
  async function cosignNewest(client: Awaited<ReturnType<typeof connect>>, logId: string): Promise<void> {
    const {
      rows: [newest],
    } = await client.query<{ tree_size: number; tenant_id: string; note: string }>(
      'SELECT tree_size, tenant_id, note FROM ledger.checkpoint WHERE log_id = $1 ORDER BY tree_size DESC LIMIT 1',
      [logId],
    );
    const line = cosign(parseNote(newest!.note).text, { name: 'witness.test', signer: stack.keys.permit }, 1);
    const keyHash = formatCosignerKey('witness.test', stack.keys.permit.publicKey).split('+')[1];
    await client.query(
      'INSERT INTO ledger.cosignature (log_id, tree_size, tenant_id, witness, key_hash, line) VALUES ($1, $2, $3, $4, $5, $6)',
      [logId, newest!.tree_size, newest!.tenant_id, 'witness.test', keyHash, line],
    );
  }

  it('detects a change of any column of any kind of row, and names its log', async () => {
    const columns = await observer.rows<{ table: string; column: string; type: string }>(
      `SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns JOIN pg_class ON pg_class.oid = format('ledger.%I', table_name)::regclass AND NOT relispartition
        WHERE table_schema = 'ledger' AND table_name NOT LIKE 'applied\\_%' ORDER BY 1, ordinal_position`,
    );
    expect(new Set(columns.map(({ table }) => table)).size).toBe(6);
    // One log for each column and each end of it, written by the real processes: one run of the checker covers all.
    const cases = columns.flatMap((column) => (['ASC', 'DESC'] as const).map((order) => ({ ...column, order })));
    const platform = new Api(stack.url, stack.keys.platformKey);
    const logs = await Promise.all(
      cases.map(async ({ table }, i) => {
        const { tenant_id, api_key } = await platform.must('/v1/tenants', { name: `tampered ${i}` });
        // A row of `tile` is written with every 256th record: the full tile, and the first one above it.
        const agents = Array.from({ length: table === 'tile' ? 256 : 3 }, (_agent, n) => `agent ${n}`);
        for (const name of agents) await platform.as(api_key as string).must('/v1/agents', { name });
        return `log_${(tenant_id as string).slice(4)}`;
      }),
    );
    await observer.untilLogged();
    await eventually(
      'every record is indexed',
      async () =>
        (
          await observer.rows(
            'SELECT 1 FROM ledger.leaf LEFT JOIN ledger.record_index r USING (log_id, leaf_index) WHERE r.log_id IS NULL',
          )
        ).length === 0,
      60_000,
    );
    const client = await connect(stack.database.ownerUrl, 'tamper');
    for (const log of logs) await cosignNewest(client, log);
    expectCleanLog(stack);
    await client.query(`SET session_replication_role = replica;
      DO $$ DECLARE c record; BEGIN
        FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint WHERE connamespace = 'ledger'::regnamespace AND contype <> 'n' AND conparentid = 0 AND coninhcount = 0 ORDER BY contype = 'p' LOOP
          EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', c.t, c.conname);
        END LOOP;
      END $$`);
    for (const [i, { table, column, type, order }] of cases.entries()) {
      const { rowCount } = await client.query(
        `UPDATE ledger.${table} SET ${column} = ${CHANGED[type]!(column)}
        WHERE (tableoid, ctid) = (SELECT tableoid, ctid FROM ledger.${table} WHERE log_id = $1 ORDER BY ${table === 'leaf' || table === 'record_index' ? 'leaf_index' : table === 'tile' ? 'width' : 'tree_size'} ${order} LIMIT 1)`,
        [logs[i]],
      );
      expect({ table, column, rowCount }).toEqual({ table, column, rowCount: 1 });
    }
    await client.end();
    const { status, output } = fsck(stack);
    expect(status).toBe(1);
    // A row with a changed log name is found in a log without tenant.
    const missed = cases.filter((_case, i) => !new RegExp(`✖ \\d+ findings[^\\n]* ${logs[i]}x?:`).test(output));
    expect(missed).toEqual([]);
    expect(output).toContain(`✔ log_${world.tenantId.slice(4)}:`);
  });
});
