// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type OperationView } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { encodeReceipt } from '@writ/receipt';
import { sealContent, sealedRef } from '@writ/sealing';
import { callOf, RECEIPT } from '../../specs/tenant-fixture.ts';
import { viewOf } from '../../specs/fake-views.ts';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
});
afterAll(() => api.close());

const keep = (state: OperationView['state'], of = callOf(tenant), more: Partial<OperationView> = {}): OperationView =>
  api.kernel.keep(tenant.tenantId, of.operation_id, 'operation', viewOf(of, state, more));
const get = (path: string, key = tenant.operator) => api.ask('GET', path, { key });
const heard = (view: OperationView, state: OperationView['state']): void =>
  api.publishOperation(tenant.tenantId, view.operation_id, state);
/** Resolves when the operation was read so many times. */
const reads = async (view: OperationView, times: number): Promise<void> => {
  const seen = () =>
    api.kernel.requests.filter(
      ({ verb, request }) => verb === 'operation.read' && request['operation_id'] === view.operation_id,
    ).length;
  while (seen() < times) await new Promise((resolve) => setImmediate(resolve));
};

describe('an operation', () => {
  it('is shown with its current state, at once', async () => {
    const view = keep('performing');
    expect((await get(`/v1/operations/${view.operation_id}`)).json).toEqual(view);
  });

  it('is shown to a waiting client as soon as it ends', async () => {
    const call = callOf(tenant);
    const view = keep('performing', call);
    const waiting = get(`/v1/operations/${view.operation_id}?wait=20000`);
    await reads(view, 1);
    keep('committed', call);
    heard(view, 'committed');
    expect((await waiting).json['state']).toBe('committed');
  });

  it('that is held already is waited for until it ends or is held again', async () => {
    const call = callOf(tenant);
    const view = keep('held', call);
    const waiting = get(`/v1/operations/${view.operation_id}?wait=20000`);
    await reads(view, 1);
    heard(view, 'admitted');
    keep('held', call, { autonomy_mode: 'escalated' });
    heard(view, 'held');
    expect((await waiting).json).toMatchObject({ state: 'held', autonomy_mode: 'escalated' });
  });

  it('is shown with its current state when the wait is over', async () => {
    const view = keep('performing');
    expect((await get(`/v1/operations/${view.operation_id}?wait=20`)).json['state']).toBe('performing');
    expect((await get(`/v1/operations/${view.operation_id}?wait=60001`)).json).toEqual(problem('query.invalid', 400));
  });

  it('is waited for even if the kernel is briefly unavailable', async () => {
    const call = callOf(tenant);
    const view = keep('performing', call);
    const waiting = get(`/v1/operations/${view.operation_id}?wait=20000`);
    await reads(view, 1);
    const read = api.kernel.handlers.get('operation.read')!;
    api.kernel.handlers.set('operation.read', () => {
      throw new Fault('bus.unreachable');
    });
    heard(view, 'committed');
    await reads(view, 2);
    api.kernel.handlers.set('operation.read', read);
    keep('committed', call);
    heard(view, 'committed');
    expect((await waiting).json['state']).toBe('committed');
  });

  it('is shown at once to waiting clients when the process stops', async () => {
    const own = await openTestApi();
    const one = await own.newTenant();
    const call = callOf(one);
    own.kernel.keep(one.tenantId, call.operation_id, 'operation', viewOf(call, 'performing'));
    const waiting = own.ask('GET', `/v1/operations/${call.operation_id}?wait=55000`, { key: one.admin });
    while (own.kernel.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const started = performance.now();
    await own.close();
    expect(performance.now() - started).toBeLessThan(5_000);
    expect((await waiting).json['state']).toBe('performing');
  });

  it('is listed with the requested filters', async () => {
    const answer = await get('/v1/operations?state=held&tool_id=fs.read&limit=7&cursor=abc&session_id=s1');
    expect(answer.status).toBe(200);
    expect(api.kernel.requests.at(-1)).toEqual({
      verb: 'operation.list',
      request: {
        v: 1,
        page: { cursor: 'abc', limit: 7 },
        state: 'held',
        tool_id: 'fs.read',
        agent_id: null,
        workspace_id: null,
        session_id: 's1',
        unresolved: false,
      },
    });
    await get('/v1/operations?unresolved=true');
    expect(api.kernel.requests.at(-1)?.request['unresolved']).toBe(true);
    expect((await get('/v1/operations?unresolved=yes')).json).toEqual(problem('query.invalid', 400));
  });

  it('is resolved with a note, never by an agent, and never without a note', async () => {
    const view = keep('ambiguous');
    const resolve = (body: object, key = tenant.operator) =>
      api.ask('POST', `/v1/operations/${view.operation_id}/resolve`, { key, body });
    expect((await resolve({ outcome: 'committed', note: 'seen' })).json).toMatchObject({
      operation_id: view.operation_id,
      resolution: null,
    });
    expect(api.kernel.requests.at(-1)).toEqual({
      verb: 'operation.resolve',
      request: { v: 1, operation_id: view.operation_id, outcome: 'committed', note: 'seen' },
    });
    for (const body of [
      { outcome: 'committed' },
      { outcome: 'committed', note: '' },
      { outcome: 'no_op', note: 'x' },
      { note: 'x' },
    ])
      expect((await resolve(body)).status).toBe(400);
    expect((await resolve({ outcome: 'committed', note: 'seen' }, tenant.agent)).json).toEqual(
      problem('auth.role', 403),
    );
  });
});

describe('a receipt', () => {
  const ledgered = (view: OperationView, phase: string): void =>
    void api.ledger.receipts.set(`${tenant.tenantId}/${view.operation_id}/${phase}`, RECEIPT);

  it('is the file in its canonical form, byte for byte', async () => {
    const view = keep('committed');
    ledgered(view, 'outcome');
    const answer = await get(`/v1/operations/${view.operation_id}/receipt`);
    expect(answer.text).toBe(encodeReceipt(RECEIPT));
    expect(answer.headers.get('content-type')).toBe('application/vnd.writ.receipt.v1+json');
  });

  it("is the decision's without a recorded outcome, else the outcome's, even if that is not logged yet", async () => {
    const [held, refused, done] = [keep('held'), keep('refused'), keep('committed')];
    for (const view of [held, refused, done]) ledgered(view, 'decision');
    expect([
      (await get(`/v1/operations/${held.operation_id}/receipt`)).status,
      (await get(`/v1/operations/${refused.operation_id}/receipt`)).status,
    ]).toEqual([200, 200]);
    const pending = await get(`/v1/operations/${done.operation_id}/receipt`);
    expect(pending.json).toEqual(problem('receipt.pending', 404));
    expect(pending.headers.get('retry-after')).toBe('1');
    expect((await get(`/v1/operations/${done.operation_id}/receipt?phase=decision`)).status).toBe(200);
  });

  it('of an outcome is pending while one may follow, and not found where none will', async () => {
    const [held, refused] = [keep('held'), keep('refused')];
    expect((await get(`/v1/operations/${held.operation_id}/receipt?phase=outcome`)).json).toEqual(
      problem('receipt.pending', 404),
    );
    expect((await get(`/v1/operations/${refused.operation_id}/receipt?phase=outcome`)).json).toEqual(
      problem('not_found', 404),
    );
    const resolved = keep('ambiguous', callOf(tenant), {
      resolution: {
        outcome: 'committed',
        note: 'x',
        resolved_at: 1,
        resolved_by: 'key_x',
        record_id: held.decision_record_id,
      },
    });
    expect((await get(`/v1/operations/${held.operation_id}/receipt?phase=resolution`)).json).toEqual(
      problem('not_found', 404),
    );
    expect((await get(`/v1/operations/${resolved.operation_id}/receipt?phase=resolution`)).json).toEqual(
      problem('receipt.pending', 404),
    );
    ledgered(resolved, 'resolution');
    expect((await get(`/v1/operations/${resolved.operation_id}/receipt?phase=resolution`)).status).toBe(200);
    expect((await get(`/v1/operations/${held.operation_id}/receipt?phase=preview`)).json).toEqual(
      problem('query.invalid', 400),
    );
  });

  it("of another tenant's operation is not found, even if the ledger has it", async () => {
    const other = await api.newTenant();
    const view = keep('committed');
    ledgered(view, 'outcome');
    expect((await get(`/v1/operations/${view.operation_id}/receipt`, other.admin)).json).toEqual(
      problem('not_found', 404),
    );
  });
});

test('a log without records has no checkpoint; one with records has its note as it was signed', async () => {
  const other = await api.newTenant();
  expect((await get('/v1/log/checkpoint', other.auditor)).json).toEqual(problem('not_found', 404));
  api.ledger.checkpoints.set(other.tenantId, RECEIPT.inclusion.checkpoint);
  const answer = await get('/v1/log/checkpoint', other.auditor);
  expect([answer.text, answer.headers.get('content-type')]).toEqual([
    RECEIPT.inclusion.checkpoint,
    'text/plain; charset=utf-8',
  ]);
});

test('a malformed reply of the kernel is an `internal` fault without detail', async () => {
  const view = keep('committed');
  api.kernel.keep(tenant.tenantId, view.operation_id, 'operation', { ...view, state: 'exploded', secret: 'x' });
  const answer = await get(`/v1/operations/${view.operation_id}`);
  expect(answer.json).toEqual(problem('internal', 500));
  expect(answer.text).not.toMatch(/exploded|agreed|\.ts|stack/);
});

test('a reply of a newer kernel may have unknown members', async () => {
  const view = keep('committed');
  api.kernel.keep(tenant.tenantId, view.operation_id, 'operation', { ...view, since_v2: true });
  expect((await get(`/v1/operations/${view.operation_id}`)).status).toBe(200);
});

describe('the full output of a command', () => {
  const kept = async (bytes: Buffer, cut = false): Promise<{ view: OperationView; sha256: string }> => {
    const view = keep('committed');
    const ref = { ...(await api.blobs.put(tenant.tenantId, bytes)), cut };
    api.kernel.keep(tenant.tenantId, `stderr of ${view.operation_id}`, 'output', { v: 1, ref, expires_at: 1 });
    return { view, sha256: ref.sha256 };
  };

  it('is returned byte for byte as an attachment, and tells whether it is truncated', async () => {
    const bytes = Buffer.concat([
      Buffer.from('<script>\u001b[31m'),
      Buffer.from([0, 0xff, 0xfe]),
      Buffer.alloc(3_000_000, 'x'),
    ]);
    const { view, sha256 } = await kept(bytes, true);
    const answer = await fetch(`${api.url}/v1/operations/${view.operation_id}/output?stream=stderr`, {
      headers: { authorization: `Bearer ${tenant.operator}` },
    });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="${view.operation_id}.stderr.txt"`,
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      etag: `"${sha256}"`,
      'writ-output-cut': 'true',
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it("is decrypted while it is sent, and breaks off if its end can't be decrypted", async () => {
    const seal = { key: randomBytes(32), tenantId: tenant.tenantId, operationId: '', attempt: 2 };
    const clear = Buffer.alloc(3_000_000, 'what a command said ');
    const sealedFor = async (kind: 'stdout' | 'stderr') => {
      const view = keep('committed');
      const ref = {
        ...sealedRef(
          await api.blobs.put(tenant.tenantId, sealContent({ ...seal, operationId: view.operation_id }, kind, clear)),
        ),
        content_sha256: sha256Hex(clear),
        cut: false,
      };
      api.kernel.keep(tenant.tenantId, `stderr of ${view.operation_id}`, 'output', {
        v: 1,
        ref,
        expires_at: 1,
        opens: { key: seal.key.toString('base64'), attempt: 2 },
      });
      return await fetch(`${api.url}/v1/operations/${view.operation_id}/output?stream=stderr`, {
        headers: { authorization: `Bearer ${tenant.operator}` },
      });
    };
    const answer = await sealedFor('stderr');
    expect([answer.headers.get('content-length'), answer.headers.get('etag')]).toEqual([
      String(clear.length),
      `"${sha256Hex(clear)}"`,
    ]);
    expect(Buffer.from(await answer.arrayBuffer()).equals(clear)).toBe(true);
    await expect(sealedFor('stdout').then((broken) => broken.arrayBuffer())).rejects.toThrow();
  });

  it('is requested from the kernel by stream, by default stdout, and only for valid streams', async () => {
    const { view } = await kept(Buffer.from('x'));
    await get(`/v1/operations/${view.operation_id}/output`);
    expect(api.kernel.requests.at(-1)).toMatchObject({
      verb: 'operation.output',
      request: { operation_id: view.operation_id, stream: 'stdout' },
    });
    expect((await get(`/v1/operations/${view.operation_id}/output?stream=stdin`)).json).toEqual(
      problem('query.invalid', 400),
    );
  });
});
