// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect } from 'node:net';
import { subjectsOf } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ WRIT_EVENT_STREAMS_MAX: 3 });
});
afterAll(() => api.close());

const NOTE = 'writ.local/log\n1\nAAAA\n\n— writ.local AAAA\n';

/** A tenant with a log of so many records. */
async function tenantWith(records: number, at: TestApi = api): Promise<TestTenant> {
  const tenant = await at.newTenant();
  at.ledger.checkpoints.set(tenant.tenantId, NOTE);
  if (records > 0) grow(tenant, records, at);
  return tenant;
}

/** Appends records and publishes an event, as the ledger does. */
function grow({ tenantId }: TestTenant, by: number, at: TestApi = api): void {
  const before = at.ledger.logs.get(tenantId) ?? [];
  at.ledger.logs.set(tenantId, [
    ...before,
    ...Array.from({ length: by }, (_, i) => Buffer.from(`record ${String(before.length + i)}`)),
  ]);
  at.bus.publish(subjectsOf('s0').event('logged', tenantId), { v: 1, tenant_id: tenantId });
}

const read = (tenant: TestTenant, query = '') => api.ask('GET', `/v1/exports/records${query}`, { key: tenant.auditor });
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

interface Tail {
  next(): Promise<string | null>;
  close(): void;
}
async function tail(tenant: TestTenant, query = '', from: TestApi = api): Promise<Tail> {
  const gone = new AbortController();
  const answer = await fetch(`${from.url}/v1/exports/records?follow=true${query}`, {
    headers: { authorization: `Bearer ${tenant.auditor}` },
    signal: gone.signal,
  });
  expect(answer.status).toBe(200);
  const parts = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const next = async (): Promise<string | null> => {
    for (;;) {
      const end = rest.indexOf('\n');
      if (end !== -1) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        if (line !== '') return line;
        continue;
      }
      const { done, value } = await parts.read();
      if (done) return null;
      rest += value;
    }
  };
  return { next, close: () => gone.abort() };
}
const indexIn = (line: string | null): unknown => (JSON.parse(line ?? '{}') as { leaf_index?: number }).leaf_index;

describe('an export of records', () => {
  it('has every record once, in the order of the log, and ends where the log ends', async () => {
    const tenant = await tenantWith(10);
    const answer = await read(tenant);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    expect(linesOf(answer.text)).toEqual(
      Array.from({ length: 10 }, (_, i) => ({
        leaf_index: i,
        envelope: {
          payloadType: 'application/vnd.in-toto+json',
          payload: Buffer.from(`record ${String(i)}`).toString('base64'),
          signatures: [{ keyid: 'k', sig: 'AAAA' }],
        },
      })),
    );
  });

  it('that is interrupted anywhere and resumed has the same bytes as a complete one', async () => {
    const tenant = await tenantWith(10);
    for (const format of ['dsse', 'receipt']) {
      const { text: whole } = await read(tenant, `?format=${format}`);
      const lines = whole.split(/(?<=\n)/);
      expect(lines).toHaveLength(10);
      for (let cut = 0; cut < 10; cut += 1) {
        const { text: rest } = await read(tenant, `?format=${format}&after=${String(cut)}`);
        expect([cut, lines.slice(0, cut + 1).join('') + rest]).toEqual([cut, whole]);
        expect((await read(tenant, `?format=${format}&limit=${String(cut + 1)}`)).text).toBe(
          lines.slice(0, cut + 1).join(''),
        );
      }
    }
  });

  it('of a log without records, or beyond its end, has no lines', async () => {
    expect(await read(await tenantWith(0))).toMatchObject({ status: 200, text: '' });
    expect(await read(await tenantWith(3), '?after=2')).toMatchObject({ status: 200, text: '' });
    expect(await read(await tenantWith(3), '?after=9007199254740990')).toMatchObject({ status: 400 });
  });

  it('is refused for an unknown format, and for invalid numbers', async () => {
    const tenant = await tenantWith(1);
    for (const query of ['format=csv', 'after=-1', 'after=x', 'limit=0', 'follow=1', 'follow=', 'x=1'])
      expect([query, (await read(tenant, `?${query}`)).json['code']]).toEqual([query, 'query.invalid']);
  });
});

describe('a tail of a log', () => {
  it('has the records that were logged before it began, and then new ones as they are logged', async () => {
    const tenant = await tenantWith(2);
    const stream = await tail(tenant);
    expect([indexIn(await stream.next()), indexIn(await stream.next())]).toEqual([0, 1]);
    grow(tenant, 5);
    for (const index of [2, 3, 4, 5, 6]) expect(indexIn(await stream.next())).toBe(index);
    stream.close();
  });

  it('may begin before the first record', async () => {
    const tenant = await tenantWith(0);
    const stream = await tail(tenant);
    grow(tenant, 1);
    expect(indexIn(await stream.next())).toBe(0);
    stream.close();
  });

  it('gets no events of other tenants, and reads nothing while nothing is logged', async () => {
    const [tenant, other] = [await tenantWith(1), await tenantWith(1)];
    const stream = await tail(tenant);
    expect(indexIn(await stream.next())).toBe(0);
    const asked = (): number => api.ledger.requests.filter(({ tenant_id }) => tenant_id === tenant.tenantId).length;
    const before = asked();
    grow(other, 1);
    expect(linesOf((await read(other)).text)).toHaveLength(2);
    expect(asked()).toBe(before);
    grow(tenant, 1);
    expect(indexIn(await stream.next())).toBe(1);
    stream.close();
  });

  it('ends after the requested number of records', async () => {
    const tenant = await tenantWith(1);
    const stream = await tail(tenant, '&limit=2');
    await stream.next();
    grow(tenant, 5);
    expect([indexIn(await stream.next()), await stream.next()]).toEqual([1, null]);
  });

  it('is limited in number per tenant, and a closed one can be replaced', async () => {
    const tenant = await tenantWith(1);
    const tails = [await tail(tenant), await tail(tenant), await tail(tenant)];
    const fourth = await read(tenant);
    expect([fourth.json, fourth.headers.get('retry-after')]).toEqual([problem('rate.limited', 429), '1']);
    expect((await read(await tenantWith(1))).status).toBe(200);
    tails[0]!.close();
    while ((await read(tenant)).status !== 200);
    for (const each of tails) each.close();
  });

  it('sends nothing more to a revoked key', async () => {
    const tenant = await tenantWith(1);
    const key = await api.newKey(tenant.tenantId, 'auditor');
    const {
      items: [{ api_key_id } = { api_key_id: '' }],
    } = await api.keys.list(tenant.tenantId, { cursor: null, limit: 1 });
    const stream = await tail({ ...tenant, auditor: key });
    await stream.next();
    api.kernel.handlers.set('change.record', () => ({ recorded: newId('record') }));
    expect((await api.ask('DELETE', `/v1/api-keys/${api_key_id}`, { key: tenant.admin })).status).toBe(200);
    grow(tenant, 1);
    await expect(stream.next()).rejects.toThrow('terminated');
  });

  it('ends regularly when the process stops', async () => {
    const own = await openTestApi();
    const tenant = await tenantWith(1, own);
    const stream = await tail(tenant, '', own);
    expect(indexIn(await stream.next())).toBe(0);
    const closing = own.close();
    expect(await stream.next()).toBe(null);
    await closing;
  });
});

it('for a reader that does not read, no more pages are fetched than the buffers hold', async () => {
  const tenant = await tenantWith(0);
  api.ledger.logs.set(
    tenant.tenantId,
    Array.from({ length: 400 }, (_, i) => Buffer.from(`${String(i)} ${'x'.repeat(60_000)}`)),
  );
  const asked = (): number => api.ledger.requests.filter(({ tenant_id }) => tenant_id === tenant.tenantId).length;
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.pause();
  socket.write(
    `GET /v1/exports/records HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.auditor}\r\nconnection: close\r\n\r\n`,
  );
  // Waits until no more pages are fetched.
  let before = -1;
  let still = 0;
  while (still < 50) {
    still = asked() === before && before > 0 ? still + 1 : 0;
    before = asked();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(before).toBeLessThan(400 / 3);
  socket.resume();
  let bytes = 0;
  socket.on('data', (part: Buffer) => {
    bytes += part.length;
  });
  await once(socket, 'end');
  expect(bytes).toBeGreaterThan(400 * 60_000);
}, 120_000);
