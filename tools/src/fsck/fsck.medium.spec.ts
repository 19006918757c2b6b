// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatId, type TenantId } from '@writ/contract';
import { formatCosignerKey, parseCosignerKey } from '@writ/signing';
import { checkDatabase } from './check-database.ts';
import { checkLog } from './check-log.ts';
import type { Finding, LogReport } from './findings.ts';
import { readLogIds, type Connection } from './rows.ts';
import { insertLeaf, KEYS, recordOf, WITNESS } from './specs/write-log.ts';
import { BATCHES, OTHER, SIZE, TENANT, WrittenDatabase } from './specs/written-database.ts';
import { NOTHING_TOLD, readSigned, type Reported } from './signed-roots.ts';

let written: WrittenDatabase;
let client: Connection;
let logId: string;
beforeAll(async () => {
  written = await WrittenDatabase.open();
  ({ client, logId } = written);
}, 120_000);
afterAll(() => written.close());

/** The findings of every log after these statements of a superuser, in a transaction that is rolled back. */
const afterTampering = (...statements: string[]): Promise<Finding[]> => afterTamperingWith(NOTHING_TOLD, ...statements);

async function afterTamperingWith(reported: Reported, ...statements: string[]): Promise<Finding[]> {
  await client.query('BEGIN');
  try {
    // No trigger, foreign key or other constraint applies.
    await client.query(`SET LOCAL session_replication_role = replica;
      DO $$ DECLARE c record; BEGIN
        FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint WHERE connamespace = 'ledger'::regnamespace AND contype <> 'n' AND conparentid = 0 AND coninhcount = 0 ORDER BY contype = 'p' LOOP
          EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', c.t, c.conname);
        END LOOP;
      END $$;
      DROP INDEX ledger.leaf_by_record`);
    for (const statement of statements)
      expect({ statement, rows: (await client.query(statement)).rowCount }).toEqual({
        statement,
        rows: expect.any(Number),
      });
    const findings: Finding[] = [];
    for (const id of await readLogIds(client)) findings.push(...(await checkLog(client, id, KEYS, reported)).findings);
    return findings;
  } finally {
    await client.query('ROLLBACK');
  }
}

async function reports(): Promise<LogReport[]> {
  const all: LogReport[] = [];
  for await (const report of checkDatabase(client, KEYS)) all.push(report);
  return all;
}

test('an untouched database has no findings', async () => {
  expect(
    (await reports()).map(({ leaves, roots, checkpoints, findings }) => ({ leaves, roots, checkpoints, findings })),
  ).toEqual([
    { leaves: SIZE, roots: BATCHES.length, checkpoints: BATCHES.length, findings: [] },
    { leaves: 1, roots: 1, checkpoints: 1, findings: [] },
  ]);
  expect(await afterTampering()).toEqual([]);
});

/** Changes a value of the type into another one. */
const CHANGED: Readonly<Record<string, (column: string) => string>> = {
  text: (column) => `coalesce(${column}, '') || 'x'`,
  bigint: (column) => `${column} + 1000`,
  smallint: (column) => `${column} + 1`,
  boolean: (column) => `NOT ${column}`,
  'double precision': (column) => `coalesce(${column}, 0) + 0.5`,
  tsvector: (column) => `${column} || 'x'::tsvector`,
  bytea: (column) => `set_byte(${column}, length(${column}) / 2, get_byte(${column}, length(${column}) / 2) # 1)`,
};

test('a change of any column in any row is found', async () => {
  const { rows: columns } = await client.query<{ table_name: string; column_name: string; data_type: string }>(
    `SELECT table_name, column_name, data_type FROM information_schema.columns JOIN pg_class ON pg_class.oid = format('ledger.%I', table_name)::regclass AND NOT relispartition
      WHERE table_schema = 'ledger' AND table_name NOT LIKE 'applied\\_%' ORDER BY table_name, ordinal_position`,
  );
  expect(new Set(columns.map(({ table_name }) => table_name))).toEqual(
    new Set(['leaf', 'tile', 'root', 'checkpoint', 'cosignature', 'record_index']),
  );
  for (const { table_name, column_name, data_type } of columns) {
    const { rows: ids } = await client.query<{ id: string }>(
      `SELECT tableoid || ', ' || quote_literal(ctid) AS id FROM ledger.${table_name} WHERE log_id = $1 ORDER BY tableoid, ctid`,
      [logId],
    );
    // One in the middle, and the last.
    for (const { id } of [ids[ids.length >> 1]!, ids.at(-1)!]) {
      const statement = `UPDATE ledger.${table_name} SET ${column_name} = ${CHANGED[data_type]!(column_name)} WHERE (tableoid, ctid) = (${id})`;
      expect({ statement, found: (await afterTampering(statement)).length > 0 }).toEqual({ statement, found: true });
    }
  }
}, 240_000);

test('an index that is behind is no finding', async () => {
  expect(await afterTampering('DELETE FROM ledger.record_index WHERE leaf_index >= 100')).toEqual([]);
});

test.each<[string, string[], RegExp]>([
  ['a leaf that is gone', [`DELETE FROM ledger.leaf WHERE leaf_index = 100`], /^leaf 101: follows leaf 99$/],
  [
    'the last leaf gone',
    [`DELETE FROM ledger.leaf WHERE leaf_index = ${SIZE - 1}`],
    /^root 304: states 304 leaves, there are 303$/,
  ],
  [
    'a duplicate leaf',
    ['INSERT INTO ledger.leaf SELECT * FROM ledger.leaf WHERE leaf_index = 7'],
    /^leaf 7: follows leaf 7$/,
  ],
  [
    "a record in another tenant's log",
    [`UPDATE ledger.leaf SET log_id = 'log_${OTHER.slice(4)}', leaf_index = 1 WHERE leaf_index = ${SIZE - 1}`],
    /^leaf 1: is a record of the log/,
  ],
  [
    'two records that changed places',
    [`UPDATE ledger.leaf SET leaf_index = CASE leaf_index WHEN 5 THEN 6 ELSE 5 END WHERE leaf_index IN (5, 6)`],
    /^root 204: is not the root of the leaves$/,
  ],
  ['a tile that is gone', [`DELETE FROM ledger.tile WHERE level = 0 AND width = 256`], /^tile 0\/0\.256: is missing$/],
  [
    'an unneeded tile',
    [
      `INSERT INTO ledger.tile SELECT log_id, level, tile_index, 2, tenant_id, substr(hashes, 1, 64) FROM ledger.tile WHERE width = 3`,
    ],
    /^tile 0\/0\.2: is of no root$/,
  ],
  [
    'a partial tile beside its hashes',
    [
      `INSERT INTO ledger.tile SELECT log_id, 0, 1, 48, tenant_id, substr(hashes, 1, 32 * 48) FROM ledger.tile WHERE width = 256`,
    ],
    /^tile 0\/1\.48: is of no root$/,
  ],
  [
    'hashes of a batch that are gone',
    ['UPDATE ledger.root SET edge_hashes = NULL WHERE tree_size = 204'],
    /^tile 0\/0\.204: is missing$/,
  ],
  [
    'hashes of a batch that are too few',
    [`UPDATE ledger.root SET edge_hashes = '' WHERE tree_size = 304`],
    /^root 304: `edge_hashes` are not those of its leaves$/,
  ],
  [
    'a missing root',
    ['DELETE FROM ledger.root WHERE tree_size = 264'],
    /^root 304: `edge_hashes` are not those of its leaves$/,
  ],
  [
    'a missing root of an earlier version',
    ['DELETE FROM ledger.root WHERE tree_size = 4'],
    /^tile 0\/0\.4: is of no root$/,
  ],
  ['the last root gone', [`DELETE FROM ledger.root WHERE tree_size = ${SIZE}`], /^leaf: 40 leaves are under no root$/],
  [
    'a root of an impossible size',
    [`UPDATE ledger.root SET tree_size = 9007199254740993 WHERE tree_size = ${SIZE}`],
    /^log: can't be read any further/,
  ],
  [
    'a checkpoint without a root',
    ['DELETE FROM ledger.root WHERE tree_size = 4'],
    /^checkpoint 4: signs no stored root$/,
  ],
  [
    'a checkpoint of another size',
    [
      'UPDATE ledger.checkpoint a SET note = b.note FROM ledger.checkpoint b WHERE a.tree_size = 4 AND b.tree_size = 3 AND a.log_id = b.log_id',
    ],
    /^checkpoint 4: signs a tree of 3 leaves$/,
  ],
  [
    'a cosignature without a checkpoint',
    ['DELETE FROM ledger.checkpoint WHERE tree_size = 4'],
    /^cosignature 4 by witness\.test: is of no stored checkpoint$/,
  ],
  [
    'a cosignature of another witness',
    [`UPDATE ledger.cosignature SET witness = 'other.test' WHERE tree_size = 4`],
    /^cosignature 4 by other\.test: is by `witness\.test\+/,
  ],
  [
    'a cosignature of two lines',
    ['UPDATE ledger.cosignature SET line = line || line WHERE tree_size = 4'],
    /^cosignature 4 by witness\.test: is not one line/,
  ],
  [
    'a record missing in the index',
    ['DELETE FROM ledger.record_index WHERE leaf_index = 100'],
    /^record_index 100: is missing, and there are later ones$/,
  ],
  [
    'a row of the index without a leaf',
    [`UPDATE ledger.record_index SET leaf_index = 9000 WHERE leaf_index = ${SIZE - 1}`],
    /^record_index 9000: is of no leaf$/,
  ],
  [
    'a duplicate row of the index',
    ['INSERT INTO ledger.record_index SELECT * FROM ledger.record_index WHERE leaf_index = 7'],
    /^record_index 7: is of no leaf$/,
  ],
  [
    'an index of a missing log',
    [
      'DELETE FROM ledger.leaf',
      'DELETE FROM ledger.root',
      'DELETE FROM ledger.tile',
      'DELETE FROM ledger.cosignature',
      'DELETE FROM ledger.checkpoint',
    ],
    /^record_index 0: is of no leaf$/,
  ],
  [
    'a word that is in no rule',
    [`UPDATE ledger.record_index SET words = to_tsvector('simple', 'harmless') WHERE leaf_index = 9`],
    /^record_index 9: `words` are not those of the record$/,
  ],
  [
    'a record that is hidden as not indexed',
    [`UPDATE ledger.record_index SET is_drawn = false WHERE leaf_index = 9`],
    /^record_index 9: `is_drawn` is `false`/,
  ],
  [
    'a checkpoint of another log',
    ['UPDATE ledger.checkpoint a SET note = b.note FROM ledger.checkpoint b WHERE a.tree_size = 4 AND b.tree_size = 1'],
    /^checkpoint 4: is of `writ\.test\//,
  ],
])('%s is found and named', async (_, statements, expected) => {
  const findings = await afterTampering(...statements);
  expect(findings.map(({ where, what }) => `${where}: ${what}`)).toContainEqual(expect.stringMatching(expected));
});

describe('with data from outside of the database', () => {
  let dir: string;
  let memory: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'writ-fsck-told-'));
    memory = join(dir, 'signed');
    const { rows } = await client.query<{ tree_size: string; root: Buffer }>(
      'SELECT tree_size, root FROM ledger.root WHERE log_id = $1 AND tree_size IN (3, $2)',
      [logId, SIZE],
    );
    writeFileSync(
      memory,
      rows.map(({ tree_size, root }) => `${logId} ${TENANT} ${tree_size} ${root.toString('hex')}\n`).join(''),
    );
  });
  afterAll(() => rmSync(dir, { recursive: true }));
  const reported = (over: Partial<Reported> = {}): Reported => ({
    signed: readSigned([memory]),
    witnesses: [parseCosignerKey(formatCosignerKey(WITNESS.name, WITNESS.signer.publicKey))],
    ...over,
  });
  const whats = (findings: readonly Finding[]): string[] => findings.map(({ where, what }) => `${where}: ${what}`);
  /** The end of the log, deleted without a trace in the database. */
  const cut = ['leaf', 'record_index']
    .map((table) => `DELETE FROM ledger.${table} WHERE leaf_index >= 264`)
    .concat(['root', 'checkpoint', 'cosignature'].map((table) => `DELETE FROM ledger.${table} WHERE tree_size > 264`));

  it('has no finding for a complete log, also while its ledger continues', async () => {
    expect(await afterTamperingWith(reported())).toEqual([]);
    writeFileSync(join(dir, 'cut-off'), `${logId} ${TENANT} 999`);
    expect(await afterTamperingWith(reported({ signed: readSigned([join(dir, 'cut-off'), memory]) }))).toEqual([]);
  });

  it("finds a deleted end of a log, which its rows alone don't show", async () => {
    expect(await afterTampering(...cut)).toEqual([]);
    expect(whats(await afterTamperingWith(reported(), ...cut))).toEqual([
      'signed 304: the ledger signed 304 leaves, and 40 of them are gone',
    ]);
  });

  it('finds a completely deleted log, and a different root', async () => {
    const gone = `log_${formatId('tenant', Buffer.alloc(16, 7)).slice(4)}`;
    const reportsOf = async (signed: Reported['signed']): Promise<string[]> => {
      const all: string[] = [];
      for await (const report of checkDatabase(client, KEYS, reported({ signed }))) all.push(...whats(report.findings));
      return all;
    };
    expect(await reportsOf(new Map([[gone, [{ treeSize: 2, root: new Uint8Array(32) }]]]))).toEqual([
      'signed 2: the ledger signed 2 leaves, and 2 of them are gone',
    ]);
    expect(await reportsOf(new Map([[logId, [{ treeSize: 3, root: new Uint8Array(32) }]]]))).toEqual([
      'signed 3: the ledger signed another root of this size than the leaves give',
    ]);
    expect(await reportsOf(new Map([[logId, [{ treeSize: 100, root: new Uint8Array(32) }]]]))).toEqual([
      'signed 100: the ledger signed a root of this size, and none is stored',
    ]);
  });

  it('verifies cosignatures of given witnesses', async () => {
    const forged = `UPDATE ledger.cosignature SET line = overlay(line placing 'AAAA' from length(line) - 20) WHERE tree_size = 4`;
    expect(await afterTampering(forged)).toEqual([]);
    expect(whats(await afterTamperingWith(reported(), forged))).toEqual([
      expect.stringMatching(/^cosignature 4 by witness\.test: can't be read, or isn't the witness's: /),
    ]);
  });
});

const found = (write: (tenant: TenantId) => Promise<unknown>, keys = KEYS): Promise<string[]> =>
  written.foundIn(write, keys);

describe('correctly signed but wrong records', () => {
  it('an outcome whose decision differs, or is missing', async () => {
    expect(
      await found(async (tenant) => {
        await insertLeaf(client, 0, recordOf(tenant, 0, null));
        await insertLeaf(client, 1, recordOf(tenant, 1, Buffer.from('another')));
        await insertLeaf(client, 2, recordOf(tenant, 3, Buffer.from('absent')));
      }),
    ).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/by another hash than it has$/),
        expect.stringMatching(/which is not in the log$/),
      ]),
    );
  });

  it('two outcomes of one call', async () => {
    expect(
      await found(async (tenant) => {
        const decision = await insertLeaf(client, 0, recordOf(tenant, 0, null));
        await insertLeaf(client, 1, recordOf(tenant, 1, decision));
        await insertLeaf(
          client,
          2,
          recordOf(tenant, 1, decision, { record_id: formatId('record', Buffer.alloc(16, 9)) }),
        );
      }),
    ).toContain('has more than one outcome');
  });

  it('a record made when its key was not valid', async () => {
    expect(await found((tenant) => insertLeaf(client, 0, recordOf(tenant, 0, null, { recorded_at: 1 })))).toContain(
      'was recorded when its key was not valid',
    );
  });
});
