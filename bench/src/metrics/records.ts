// SPDX-License-Identifier: Apache-2.0
import { formatId, logIdOf, type TenantId } from '@writ/contract';
import { inTenant, type connect, type Pool } from '@writ/database';

type Client = Awaited<ReturnType<typeof connect>>;

/** One query; each time about another agent, session or path. */
export interface Question {
  readonly name: string;
  readonly ask: (pool: Pool, rows: number) => Promise<void>;
  readonly parameters: (rows: number) => readonly unknown[];
}

/** One tenant owns half of all records and queries them; the others own the rest. */
const TENANTS = 16;
const [AGENTS, TOOLS, RECORDS_OF_SESSION, RULES, WORKSPACES] = [200, 20, 50, 40, 100];
const PAGE = 51;
const FIRST_MS = 1_700_000_000_000;
const MS_BETWEEN = 500;

const idOf = (kind: 'tenant' | 'agent', n: number): string => formatId(kind, Buffer.alloc(16, n));
const TENANT = idOf('tenant', 0) as TenantId;
const LOG = logIdOf(TENANT);
const AGENT_IDS = Array.from({ length: AGENTS }, (_, n) => idOf('agent', n));
const below = (n: number): number => Math.floor(Math.random() * n);
const momentIn = (rows: number): number => FIRST_MS + below(rows) * MS_BETWEEN;

/** The filters of a query, and the start of its page, for that many records of the querying tenant. */
type Asked = (rows: number) => {
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly after?: readonly [number, number];
};

function question(name: string, asked: Asked): Question {
  const parameters = (rows: number): readonly unknown[] => {
    const { filter = {}, after = [null, null] } = asked(Math.ceil(rows / 2));
    return [TENANT, LOG, rows, JSON.stringify(filter), true, ...after, PAGE];
  };
  const ask = async (pool: Pool, rows: number): Promise<void> => {
    await inTenant(
      pool,
      TENANT,
      (client) =>
        client.query('SELECT * FROM ledger.find_records($1, $2, $3, $4, $5, $6, $7, $8)', [...parameters(rows)]),
      { readOnly: true },
    );
  };
  return { name, ask, parameters };
}

/** The first agents are the most frequent: `n * n` below sees to that. */
const someAgent = (): string => AGENT_IDS[Math.floor(AGENTS * Math.random() ** 2)] as string;
/** A term of `text`, as the ledger indexes it. */
const textOf = (text: string): { readonly words: string; readonly whole: string } => ({
  words: text.split(/[^a-z0-9]/).join(' '),
  whole: text,
});
const DENIED = textOf('policy.denied');
const workspace = (n: number): string => `wsp_${String(n).padStart(26, '0')}`;

export const QUESTIONS: readonly Question[] = [
  question('newest', () => ({})),
  question('deep cursor', (rows) => ({ after: [momentIn(rows), below(rows)] })),
  question('agent', () => ({ filter: { agent_id: someAgent() } })),
  question('agent and tool', () => ({ filter: { agent_id: someAgent(), tool_id: `tool.${below(TOOLS)}` } })),
  question('session', (rows) => ({ filter: { session_id: `s${below(rows / RECORDS_OF_SESSION)}` } })),
  question('refused', () => ({ filter: { verdict: 'refused' } })),
  question('an hour, long ago', (rows) => {
    const since = momentIn(rows);
    return { filter: { since, until: since + 3_600_000 } };
  }),
  question('risk of 0.95 or more', () => ({ filter: { risk_min: 0.95 } })),
  question('risk of 0.999 or more', () => ({ filter: { risk_min: 0.999 } })),
  question('risk from 0.5 to 0.6', () => ({ filter: { risk_min: 0.5, risk_max: 0.6 } })),
  question('text: one in twenty', () => ({ filter: { texts: [DENIED] } })),
  question('text: one in a thousand', () => ({ filter: { texts: [textOf(`rare-${below(10)}`)] } })),
  question('text: one in a hundred thousand', () => ({ filter: { texts: [textOf('once')] } })),
  question('text and agent', () => ({ filter: { texts: [DENIED], agent_id: someAgent() } })),
  question('resource: a workspace', () => ({
    filter: { resource: workspace(below(WORKSPACES)), resource_prefix: false },
  })),
  question('resource: a snapshot', (rows) => ({
    filter: { resource: `snap_${String(below(rows / 2) * 2 + 1).padStart(64, '0')}`, resource_prefix: false },
  })),
  question('resource: a hundred snapshots by their beginning', (rows) => ({
    filter: { resource: `snap_${String(below(rows)).padStart(64, '0').slice(0, -2)}`, resource_prefix: true },
  })),
];

/**
 * Rows as the ledger indexes them, in the order of their logs. The indexes are created afterwards, which takes a minute
 * instead of an hour.
 */
export async function fillIndex(owner: Client, rows: number, report: (what: string) => void): Promise<void> {
  const { rows: indexes } = await owner.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = 'ledger.record_index'::regclass AND NOT i.indisprimary`,
  );
  for (const { name } of indexes) await owner.query(`DROP INDEX ${name}`);
  await owner.query(`SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET statement_timeout = 0`);
  const others = Array.from({ length: TENANTS - 1 }, (_, n) => idOf('tenant', n + 1));
  const each = Math.floor(rows / 2 / others.length);
  await insertRows(owner, TENANT, Math.ceil(rows / 2));
  for (const tenant of others) await insertRows(owner, tenant, each);
  report(`${rows} rows`);
  for (const { name, definition } of indexes) {
    // The definition of an index on a partitioned table has ONLY, which would not create it on the partitions.
    await owner.query(definition.replace(' ON ONLY ', ' ON '));
    report(name);
  }
  await owner.query('ANALYZE ledger.record_index');
  report('statistics');
}

async function insertRows(owner: Client, tenant: string, count: number): Promise<void> {
  await owner.query(
    `INSERT INTO ledger.record_index (log_id, leaf_index, tenant_id, record_id, kind, operation_id, phase, recorded_at, is_drawn, agent_id, tool_id, session_id, verdict, tx_outcome, fault_code,
       risk_score, resources, words)
     SELECT $1, n, $2, 'rec_' || lpad(n::text, 26, '0'), 'tool_call', 'op_' || lpad((n / 2)::text, 26, '0'), CASE WHEN n % 2 = 0 THEN 'decision' ELSE 'outcome' END, ${FIRST_MS} + n * ${MS_BETWEEN}, true,
       ($3::text[])[1 + floor(${AGENTS} * a * a)::int], 'tool.' || floor(${TOOLS} * t)::int, 's' || n / ${RECORDS_OF_SESSION},
       CASE WHEN n % 2 = 1 THEN NULL WHEN n % 40 = 0 THEN 'refused' ELSE 'admitted' END, CASE WHEN n % 2 = 1 THEN 'committed' END, CASE WHEN n % 40 = 0 THEN 'policy.denied' END, r * r,
       array_to_tsvector(ARRAY['wsp_' || lpad((n % ${WORKSPACES})::text, 26, '0'), 'cap_' || lpad((n % 1000)::text, 26, '0'), lpad((n / 1000000)::text, 64, 'a')]
         || CASE WHEN n % 2 = 1 THEN ARRAY['snap_' || lpad(n::text, 64, '0'), 'delta_' || lpad(n::text, 64, '0')] ELSE '{}' END),
       array_to_tsvector(ARRAY['rule-' || n % ${RULES}, 'allow-reads'] || CASE WHEN n % 20 = 0 THEN ARRAY['policy.denied'] ELSE '{}' END || CASE WHEN n % 1000 < 10 AND n % 7 = 0 THEN ARRAY['rare-' || n % 1000] ELSE '{}' END)
         || to_tsvector('simple', 'rule ' || n % ${RULES} || ' allow reads' || CASE WHEN n % 20 = 0 THEN ' policy denied' ELSE '' END || CASE WHEN n % 1000 < 10 AND n % 7 = 0 THEN ' rare ' || n % 1000 ELSE '' END
         || CASE WHEN n % 100000 = 77 THEN ' once' ELSE '' END)
       FROM (SELECT n, random() AS a, random() AS t, random() AS r FROM generate_series(0, $4::bigint - 1) n) x`,
    [logIdOf(tenant as TenantId), tenant, AGENT_IDS, count],
  );
}

/** Bytes of the rows, and of their indexes. */
export async function sizesOf(owner: Client): Promise<string> {
  const {
    rows: [sizes],
  } = await owner.query<{ rows: string; indexes: string }>(
    `SELECT pg_size_pretty(sum(pg_table_size(inhrelid))) AS rows, pg_size_pretty(sum(pg_indexes_size(inhrelid))) AS indexes FROM pg_inherits WHERE inhparent = 'ledger.record_index'::regclass`,
  );
  return `rows ${sizes?.rows ?? '?'}, indexes ${sizes?.indexes ?? '?'}`;
}

/** The plan and buffers of one query in Postgres, under the function's settings. */
export async function explainQuestion(owner: Client, { parameters }: Question, rows: number): Promise<string> {
  await owner.query('SET jit = off; SET max_parallel_workers_per_gather = 0');
  const {
    rows: [made],
  } = await owner.query<{ statement: string }>(
    'SELECT ledger.records_statement($1, $2, $3, $4, $5, $6, $7, $8) AS statement',
    [...parameters(rows)],
  );
  const { rows: plan } = await owner.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN (ANALYZE, BUFFERS) ${made?.statement ?? ''}`,
  );
  return plan.map((line) => line['QUERY PLAN']).join('\n');
}
