// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  formatId,
  type AuditRecord,
  type RecordFilter,
  type RecordPage,
  type RecordsRequest,
  type TenantId,
} from '@writ/contract';
import fc from 'fast-check';
import { IndexStore } from './index-store.ts';
import { newTenant, payloadOf, TestLedger, type Replica } from '../specs/test-ledger.ts';
import { completeRecord } from '../specs/complete-record.ts';
import { RecordReader } from './record-reader.ts';

const [AGENT, OTHER] = [1, 2].map((n) => formatId('agent', Buffer.alloc(16, n))) as [string, string];
const OPERATION = formatId('operation', Buffer.alloc(16, 3));
const APPROVAL = formatId('approval', Buffer.alloc(16, 4));
const POLICY = 'a'.repeat(64);

let ledgers: TestLedger;
let ledger: Replica;
let store: IndexStore;
let reader: RecordReader;
const behind: string[] = [];
beforeAll(async () => {
  ledgers = await TestLedger.open();
  ledger = ledgers.replica('read');
  store = new IndexStore(ledgers.pool);
  reader = new RecordReader(ledger.log, (tenant) => behind.push(tenant));
});
afterAll(() => ledgers.close());

/** Appends records, and resolves when they are signed and indexed. */
async function add(tenant: TenantId, records: readonly Partial<Omit<AuditRecord, 'v'>>[]): Promise<void> {
  await ledger.append(records.map((each) => completeRecord(tenant, each)));
  await ledger.receipts.checkpoint(tenant);
  while ((await store.indexNext([tenant])).get(tenant) === 'more');
}
const requestOf = (
  tenant_id: TenantId,
  filter: RecordFilter = {},
  over: Partial<RecordsRequest> = {},
): RecordsRequest => ({ v: 1, tenant_id, filter, order: 'newest', limit: 50, cursor: null, ...over });
const find = (tenant: TenantId, filter: RecordFilter = {}, over: Partial<RecordsRequest> = {}): Promise<RecordPage> =>
  reader.page(requestOf(tenant, filter, over));
const indexesOf = ({ items }: RecordPage): number[] => items.map(({ leaf_index }) => leaf_index);

describe('a filter', () => {
  let tenant: TenantId;
  beforeAll(async () => {
    tenant = newTenant();
    await add(tenant, [
      {
        agent_id: AGENT,
        tool_id: 'fs.read',
        verdict: 'admitted',
        phase: 'decision',
        risk_score: 0,
        recorded_at: 100,
        operation_id: OPERATION,
        provenance: { session_id: 'one' },
        workspace_id: 'wsp_aaaa1',
      },
      {
        agent_id: AGENT,
        tool_id: 'shell.run',
        verdict: 'refused',
        phase: 'decision',
        risk_score: 0.9,
        recorded_at: 200,
        fault_code: 'policy.denied',
        rule_ids: ['no-shell'],
        risk_basis: ['cmd.rm_recursive'],
        policy_hash: POLICY,
        workspace_id: 'wsp_aaaa2',
      },
      {
        agent_id: OTHER,
        tool_id: 'fs.read',
        tx_outcome: 'ambiguous',
        risk_score: 0.5,
        recorded_at: 300,
        operation_id: OPERATION,
        provenance: { session_id: 'two' },
        approval_refs: [APPROVAL],
      },
      {
        kind: 'change',
        phase: null,
        operation_id: null,
        recorded_at: 400,
        change: { verb: 'secret_set', subject: "it's \\a", digest: null },
      },
    ]);
  });

  it.each<[RecordFilter, number[]]>([
    [{}, [3, 2, 1, 0]],
    [{ agent_id: AGENT }, [1, 0]],
    [{ agent_id: AGENT, tool_id: 'fs.read' }, [0]],
    [{ tool_id: 'fs.read' }, [2, 0]],
    [{ tool_id: 'fs' }, []],
    [{ session_id: 'one' }, [0]],
    [{ operation_id: OPERATION }, [2, 0]],
    [{ type: 'change' }, [3]],
    [{ type: 'policy' }, []],
    [{ verdict: 'refused' }, [1]],
    [{ verdict: 'held' }, []],
    [{ outcome: 'ambiguous' }, [2]],
    [{ outcome: 'committed' }, []],
    [{ risk_min: 0.5 }, [2, 1]],
    [{ risk_max: 0.5 }, [2, 0]],
    [{ risk_min: 0.5, risk_max: 0.6 }, [2]],
    [{ since: 200 }, [3, 2, 1]],
    [{ until: 200 }, [0]],
    [{ since: 200, until: 400 }, [2, 1]],
    [{ since: 400, until: 200 }, []],
    [{ resource: 'wsp_aaaa1' }, [0]],
    [{ resource: 'wsp_aaaa*' }, [1, 0]],
    [{ resource: 'wsp_aaaa' }, []],
    [{ resource: APPROVAL }, [2]],
    [{ resource: POLICY }, [1]],
    [{ resource: "it's \\a" }, [3]],
    [{ resource: "it's \\*" }, [3]],
    [{ text: 'denied' }, [1]],
    [{ text: 'policy.denied' }, [1]],
    [{ text: 'denied.policy' }, []],
    [{ text: 'POLICY recursive' }, [1]],
    [{ text: 'policy absent' }, []],
    [{ text: 'no-shell' }, [1]],
    [{ text: 'secret_set' }, [3]],
    [{ agent_id: AGENT, text: 'denied', risk_min: 0.8, resource: POLICY, verdict: 'refused', since: 0 }, [1]],
  ])('%j finds the matching records, in both orders', async (filter, places) => {
    expect(indexesOf(await find(tenant, filter))).toEqual(places);
    expect(indexesOf(await find(tenant, filter, { order: 'oldest' }))).toEqual(places.toReversed());
  });

  it('returns the indexed members of a record, and how far the index is filled', async () => {
    expect(await find(tenant, { verdict: 'refused' })).toEqual({
      indexed_to: 4,
      tree_size: 4,
      next_cursor: null,
      items: [
        {
          leaf_index: 1,
          recorded_at: 200,
          record_id: expect.stringMatching(/^rec_/),
          type: 'tool_call',
          phase: 'decision',
          operation_id: expect.stringMatching(/^op_/),
          agent_id: AGENT,
          tool_id: 'shell.run',
          session_id: null,
          verdict: 'refused',
          outcome: null,
          fault_code: 'policy.denied',
          risk_score: 0.9,
          is_drawn: true,
        },
      ],
    });
  });

  it.each<[string, RecordFilter]>([
    ['`text` holds no word', { text: '… !' }],
    ['`resource` needs 6 characters', { resource: 'wsp_*' }],
  ])("that can't be evaluated is refused: %s", async (words, filter) => {
    await expect(find(tenant, filter)).rejects.toThrow(words);
  });

  it('of another tenant finds nothing, and a cursor of another tenant is refused', async () => {
    const stranger = newTenant();
    expect(await find(stranger)).toEqual({ items: [], next_cursor: null, indexed_to: 0, tree_size: 0 });
    const { next_cursor } = await find(tenant, {}, { limit: 1 });
    await expect(find(stranger, {}, { cursor: next_cursor })).rejects.toThrow('other filters');
    await add(stranger, [{ agent_id: AGENT }]);
    expect((await find(stranger, { agent_id: AGENT })).items).toHaveLength(1);
  });
});

describe('the database', () => {
  const statement = "SELECT * FROM ledger.find_records($1, $2, 9, '{}', true, NULL, NULL, 9)";
  it('finds only records of the tenant that the transaction names', async () => {
    const [ours, theirs] = [newTenant(), newTenant()];
    for (const tenant of [ours, theirs]) await add(tenant, [{}]);
    const asked = async (tenant: TenantId, log = tenant): Promise<number | string> => {
      const client = await ledgers.pool.connect();
      try {
        await client.query(`BEGIN; SELECT set_config('writ.tenant_id', '${ours}', true)`);
        return (await client.query(statement, [tenant, `log_${log.slice(4)}`])).rowCount ?? 0;
      } catch (error) {
        return (error as { code: string }).code;
      } finally {
        await client.query('ROLLBACK');
        client.release();
      }
    };
    expect([await asked(ours), await asked(theirs), await asked(ours, theirs)]).toEqual([1, '42501', 0]);
  });
});

test('a search in a log whose index is behind reports that and makes the log due', async () => {
  const tenant = newTenant();
  await add(tenant, [{}]);
  await ledger.append([completeRecord(tenant)]);
  await ledger.receipts.checkpoint(tenant);
  expect(await find(tenant)).toMatchObject({ indexed_to: 1, tree_size: 2, items: [{ leaf_index: 0 }] });
  expect(behind).toContain(tenant);
});

test('a cursor is refused with another query', async () => {
  const tenant = newTenant();
  await add(tenant, [{ tool_id: 'fs.read' }, { tool_id: 'fs.read' }]);
  const { next_cursor: cursor } = await find(tenant, { tool_id: 'fs.read' }, { limit: 1 });
  expect(indexesOf(await find(tenant, { tool_id: 'fs.read' }, { limit: 5, cursor }))).toHaveLength(1);
  const others: [object, object][] = [
    [{}, { cursor }],
    [{ tool_id: 'fs.write' }, { cursor }],
    [{ tool_id: 'fs.read' }, { cursor, order: 'oldest' }],
  ];
  for (const [query, page] of others)
    await expect(find(tenant, query, page)).rejects.toThrow('of a question with other filters');
  const forged = (of: object): string => Buffer.from(JSON.stringify(of)).toString('base64url');
  for (const text of [
    'x',
    '{}',
    forged({}),
    forged({ q: '0'.repeat(16), to: -1, at: 0, index: 0 }),
    forged({ q: '0'.repeat(16), to: 1, at: 0, index: '0) OR true --' }),
  ]) {
    await expect(find(tenant, {}, { cursor: text })).rejects.toThrow(Fault);
  }
});

test('pages show each record that existed at the first page once, whatever is appended between them', async () => {
  const times = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      times,
      fc.array(times, { maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('newest', 'oldest'),
      fc.boolean(),
      async (before, between, limit, order, isFiltered) => {
        const tenant = newTenant();
        const records = (at: readonly number[]) =>
          at.map((recorded_at) => ({ recorded_at, tool_id: recorded_at % 2 === 0 ? 'even' : 'odd' }));
        if (before.length > 0) await add(tenant, records(before));
        const filter: RecordFilter = isFiltered ? { tool_id: 'even' } : {};
        const seen: number[] = [];
        let page = await find(tenant, filter, { limit, order });
        seen.push(...indexesOf(page));
        for (let n = 0; page.next_cursor !== null; n += 1) {
          const more = between[n] ?? [];
          if (more.length > 0) await add(tenant, records(more));
          page = await find(tenant, filter, { limit, order, cursor: page.next_cursor });
          seen.push(...indexesOf(page));
        }
        const expected = before
          .map((at, place) => ({ at, place }))
          .filter(({ at }) => !isFiltered || at % 2 === 0)
          .sort((a, b) => a.at - b.at || a.place - b.place)
          .map(({ place }) => place);
        expect(seen).toEqual(order === 'oldest' ? expected : expected.toReversed());
      },
    ),
    { numRuns: 40 },
  );
});

test('a record at an index is returned with its receipt, and beyond the log not_found', async () => {
  const tenant = newTenant();
  const sent = [completeRecord(tenant), completeRecord(tenant)];
  await ledger.append(sent);
  const receipt = await reader.receipt({ v: 1, tenant_id: tenant, leaf_index: 1 });
  expect(Buffer.from(receipt.envelope.payload, 'base64')).toEqual(Buffer.from(payloadOf(sent[1]!)));
  expect(receipt.inclusion).toMatchObject({ leaf_index: 1, tree_size: 2 });
  await expect(reader.receipt({ v: 1, tenant_id: tenant, leaf_index: 2 })).rejects.toMatchObject({ code: 'not_found' });
});
