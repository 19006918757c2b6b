// SPDX-License-Identifier: Apache-2.0
// `record_query_10m`: the cost of a page of records among ten million, by each kind of query. It writes rows into the
// index as the ledger would have, in its own database, which it drops afterwards: `node --conditions=@writ/source
// bench/src/records.ts [--rows N] [--samples N] [--explain]`, where WRIT_TEST_DATABASE_URL names a server for tests.
import { parseArgs } from 'node:util';
import { connect, createPool } from '@writ/database';
import { testDatabase } from '@writ/testing';
import Table from 'cli-table3';
import { measure } from './measure.ts';
import { explainQuestion, fillIndex, QUESTIONS, sizesOf } from './metrics/records.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    samples: { type: 'string', default: '200' },
    explain: { type: 'boolean', default: false },
  },
});
const [rows, samples] = [values.rows, values.samples].map((text) => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`\`${text}\` is no number of rows or samples`);
  return Number(text);
}) as [number, number];

const database = await testDatabase();
const owner = await connect(database.ownerUrl, 'bench');
const pool = createPool({ url: database.urlFor('writ_ledger'), applicationName: 'bench', statementTimeoutMs: 60_000 });
try {
  const began = performance.now();
  await fillIndex(owner, rows, (what) => console.log(`${Math.round((performance.now() - began) / 1_000)} s: ${what}`));
  console.log(await sizesOf(owner));
  const table = new Table({
    head: ['question', 'n', 'p50 ms', 'p95 ms', 'p99 ms'],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
  });
  for (const question of QUESTIONS) {
    // Enough memory for the index pages of a page and its neighbours, as after a repeated query.
    const { n, p50, p95, p99 } = await measure(
      { clients: 1, samples, warmUp: Math.ceil(samples / 10), msMax: 60_000 },
      () => question.ask(pool, rows),
    );
    table.push([question.name, n, p50, p95, p99]);
  }
  console.log(table.toString());
  if (values.explain)
    for (const question of QUESTIONS)
      console.log(`\n${question.name}\n${await explainQuestion(owner, question, rows)}`);
} finally {
  await pool.end();
  await owner.end();
  await database.drop();
}
