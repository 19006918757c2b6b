// SPDX-License-Identifier: Apache-2.0
import { Fault, type AdmitRequest, type OperationView, type ProposedCall } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { ARGUMENTS_ATTEMPT, openContent, sealContent, sealedRef, SEAL_BYTES, type ContentSeal } from '@writ/sealing';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { viewOf } from '../../specs/fake-views.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
  api.kernel.opens = null;
  api.kernel.admits = (call) => viewOf(call, 'no_op');
});

const body = { tool_id: 'fs.read', args: { path: 'a' }, capability_token_id: 'cap_x', workspace_id: 'wsp_x' };
const propose = (more: object = {}, headers: Record<string, string> = {}, key = tenant.agent, query = '') =>
  api.ask('POST', `/v1/tool-calls${query}`, { key, headers, body: { ...body, ...more } });
const proposed = (): AdmitRequest[] =>
  api.kernel.requests.filter(({ verb }) => verb === 'admit').map(({ request }) => request as AdmitRequest);

describe('a call', () => {
  it('reaches the kernel with the identity of its key and the members of its request, and no others', async () => {
    const answer = await propose({ idempotency_key: 'k', provenance: { client: 'c1' }, max_autonomy: 'soft_gate' });
    expect(answer.status).toBe(200);
    expect(proposed()).toEqual([
      {
        v: 1,
        operation_id: answer.headers.get('writ-operation-id'),
        tenant_id: tenant.tenantId,
        agent_id: tenant.agentId,
        proposed_by: expect.stringMatching(/^key_/),
        proposers: [expect.stringMatching(/^key_/)],
        tool_id: 'fs.read',
        args: { path: 'a' },
        args_ref: null,
        capability_token_id: 'cap_x',
        workspace_id: 'wsp_x',
        session_id: null,
        session_mode: 'interactive',
        max_autonomy: 'soft_gate',
        task_class: 'general',
        idempotency_key: 'k',
        precondition_refs: [],
        provenance: { source: 'api', client: 'c1' },
        deadline: null,
        dry_run: false,
      },
    ]);
  });

  it('of which only hashes are to stay says so to the kernel, and no other retention can be asked for', async () => {
    await propose({ retention: 'hashes' });
    expect(proposed()).toMatchObject([{ retention: 'hashes' }]);
    expect((await propose({ retention: 'full' })).json).toMatchObject({
      code: 'request.malformed',
      pointer: '/retention',
    });
  });

  it('that has ended answers 200 with its result, also if it was refused, and the path of its receipt', async () => {
    api.kernel.admits = (call) => viewOf(call, 'refused');
    const answer = await propose();
    expect(answer).toMatchObject({
      status: 200,
      json: {
        status: 'error',
        tx_outcome: 'rolled_back',
        receipt: { href: `/v1/operations/${String(answer.json['operation_id'])}/receipt` },
      },
    });
  });

  it('that is held answers 202 at once, with the path of its operation', async () => {
    api.kernel.admits = (call) => viewOf(call, 'held');
    const answer = await propose();
    expect(answer).toMatchObject({ status: 202, json: { state: 'held' } });
    expect(answer.headers.get('location')).toBe(`/v1/operations/${String(answer.json['operation_id'])}`);
  });

  it('that is running answers as soon as the event of its end arrives', async () => {
    api.kernel.admits = (call) => {
      setImmediate(() => {
        api.kernel.keep(call.tenant_id, call.operation_id, 'operation', viewOf(call, 'committed'));
        api.publishOperation(call.tenant_id, call.operation_id, 'committed');
      });
      return viewOf(call, 'admitted');
    };
    expect(await propose()).toMatchObject({ status: 200, json: { tx_outcome: 'committed' } });
    expect(api.kernel.requests.filter(({ verb }) => verb === 'operation.read')).toHaveLength(1);
  });

  it('whose event is lost still answers, through polling', async () => {
    api.kernel.admits = (call) => {
      setImmediate(() => api.kernel.keep(call.tenant_id, call.operation_id, 'operation', viewOf(call, 'committed')));
      return viewOf(call, 'admitted');
    };
    expect(await propose()).toMatchObject({ status: 200, json: { tx_outcome: 'committed' } });
  });

  it.each([
    ['?wait=50', {}],
    ['', { prefer: 'respond-async, wait=0' }],
  ])('that takes longer than the client waits answers 202 as it stands (%s)', async (query, headers) => {
    api.kernel.admits = (call) => viewOf(call, 'performing');
    expect(await propose({}, headers, tenant.agent, query)).toMatchObject({
      status: 202,
      json: { state: 'performing' },
    });
  });

  it('whose idempotency key was used before answers with the original operation, and marks it as replayed', async () => {
    const first = await propose({ idempotency_key: 'k' });
    api.kernel.admits = () => ({
      ...(api.kernel.find({ tenant_id: tenant.tenantId } as never, first.json['operation_id']) as OperationView),
      replayed: true,
    });
    const second = await propose({}, { 'idempotency-key': 'k' });
    expect(proposed().map((call) => call.idempotency_key)).toEqual(['k', 'k']);
    expect(second.json['operation_id']).toBe(first.json['operation_id']);
    expect(second.headers.get('writ-operation-id')).toBe(first.json['operation_id']);
    expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
  });

  it('with long arguments stores them encrypted under a separate key, and sends the reference', async () => {
    const args = { content: 'marker'.repeat(20_000), path: 'a' };
    for (let times = 0; times < 2; times += 1) expect((await propose({ args })).status).toBe(200);
    const [call, again] = proposed();
    const clear = Buffer.from(canonicalBytes(args));
    expect(call).toMatchObject({ args: null, args_ref: { size: clear.length } });
    const stored = Buffer.from(await api.blobs.get(tenant.tenantId, call!.args_ref!.sha256));
    expect([stored.length, stored.includes('marker')]).toEqual([clear.length + SEAL_BYTES, false]);
    const seal = {
      key: Buffer.from(call!.args_key!, 'base64'),
      tenantId: tenant.tenantId,
      operationId: call!.operation_id,
      attempt: ARGUMENTS_ATTEMPT,
    };
    expect(openContent(seal, 'args', stored)).toEqual(clear);
    expect(again!.args_key).not.toBe(call!.args_key);
    expect(again!.args_ref).not.toEqual(call!.args_ref);
  });

  describe('with a result by reference', () => {
    const clear = Buffer.from(`{"lines":[1,2],"more":"${'x'.repeat(100)}"}`);
    const sealed = async (stores: (seal: ContentSeal) => Uint8Array) => {
      const opens = { key: Buffer.alloc(32, 7).toString('base64'), attempt: 3 };
      api.kernel.opens = opens;
      api.kernel.admits = async (call) => {
        const seal = {
          key: Buffer.from(opens.key, 'base64'),
          tenantId: tenant.tenantId,
          operationId: call.operation_id,
          attempt: opens.attempt,
        };
        return viewOf(call, 'no_op', {}, { result_ref: sealedRef(await api.blobs.put(tenant.tenantId, stores(seal))) });
      };
      return await propose();
    };

    it('answers with the decrypted result, under the key from the kernel', async () => {
      expect((await sealed((seal) => sealContent(seal, 'result', clear))).json).toMatchObject({
        result: { lines: [1, 2] },
        result_ref: { size: clear.length },
      });
    });

    it('answers with a result that was stored before results were encrypted', async () => {
      const ref = await api.blobs.put(tenant.tenantId, clear);
      api.kernel.admits = (call) => viewOf(call, 'no_op', {}, { result_ref: ref });
      expect((await propose()).json).toMatchObject({ result: { lines: [1, 2] } });
    });

    it('answers without a result if it was erased meanwhile', async () => {
      const result = api.kernel.handlers.get('operation.result')!;
      api.kernel.handlers.set('operation.result', () => ({ v: 1, ref: null, opens: null }));
      expect((await sealed((seal) => sealContent(seal, 'result', clear))).json).toMatchObject({ result: null });
      api.kernel.handlers.set('operation.result', result);
    });

    it.each<[string, (seal: ContentSeal) => Uint8Array]>([
      ['in clear', () => clear],
      ['sealed for another call', (seal) => sealContent({ ...seal, operationId: newId('operation') }, 'result', clear)],
      ['sealed for another attempt', (seal) => sealContent({ ...seal, attempt: 1 }, 'result', clear)],
      ['sealed as an output', (seal) => sealContent(seal, 'stdout', clear)],
    ])('that is %s answers with our own fault, and nothing of it', async (_, stores) => {
      const answer = await sealed(stores);
      expect(answer.json).toMatchObject({ code: 'blob.corrupt', status: 500 });
      expect(answer.text).not.toContain('lines');
    });
  });
});

describe('a proposal that gets no answer', () => {
  it('is sent again as the same operation', async () => {
    let times = 0;
    api.kernel.admits = (call) => {
      if (++times < 3) throw new Fault(times === 1 ? 'deadline' : 'database.unavailable');
      return viewOf(call, 'no_op');
    };
    expect((await propose()).status).toBe(200);
    expect(proposed()).toHaveLength(3);
    expect(new Set(proposed().map((call) => JSON.stringify(call))).size).toBe(1);
  });

  it('because of a bug of the kernel is sent once, and ends as `internal`', async () => {
    api.kernel.admits = () => {
      throw new Fault('internal');
    };
    const answer = await propose();
    expect(answer.json).toEqual(problem('internal', 500));
    expect(proposed()).toHaveLength(1);
    expect(answer.headers.get('writ-operation-id')).toBe(proposed()[0]?.operation_id);
  });

  it('because of a bug after the decision answers with the decided operation', async () => {
    api.kernel.admits = (call) => {
      api.kernel.keep(call.tenant_id, call.operation_id, 'operation', viewOf(call, 'committed'));
      throw new Fault('internal');
    };
    expect(await propose()).toMatchObject({ status: 200, json: { tx_outcome: 'committed' } });
    expect(proposed()).toHaveLength(1);
  });

  it('ends as a 5xx fault after several attempts, and still names the operation', async () => {
    api.kernel.admits = () => {
      throw new Fault('bus.unreachable', 'secret subject');
    };
    const answer = await propose();
    expect(answer.json).toEqual(problem('bus.unreachable', 503));
    expect(answer.text).not.toContain('secret');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('writ-operation-id')).toBe(proposed()[0]?.operation_id);
  });

  it.each(['record.backlog', 'overloaded', 'conflict'] as const)(
    'is not repeated where the answer was `%s`',
    async (code) => {
      api.kernel.admits = () => {
        throw new Fault(code);
      };
      expect((await propose()).json['code']).toBe(code);
      expect(proposed()).toHaveLength(1);
    },
  );
});

describe('a member that a caller may not set', () => {
  it.each(['state_snapshot_id', 'policy_hash', 'autonomy_mode', 'risk_score', 'risk_basis'])(
    "`%s` is the kernel's, and the answer says so",
    async (name) => {
      const { json } = await propose({ [name]: 'x' });
      expect(json).toMatchObject({
        code: 'request.malformed',
        detail: expect.stringContaining('for the kernel to fill'),
        pointer: `/${name}`,
      });
    },
  );

  it.each(['tenant_id', 'operation_id', 'proposed_by', 'proposers', 'args_ref', 'scheduling_class', 'v'])(
    '`%s` is made by the API',
    async (name) => {
      expect((await propose({ [name]: 'x' })).json).toMatchObject({ code: 'request.malformed', pointer: `/${name}` });
    },
  );

  it.each(['source', 'run_id', 'model'])('`provenance.%s` is made by Writ', async (name) => {
    const { status, json } = await propose({ provenance: { turn: '1', [name]: 'run' } });
    expect({ status, ...json }).toMatchObject({
      status: 400,
      code: 'request.malformed',
      detail: expect.stringContaining(`\`provenance.${name}\` is made here and not by the caller`),
      pointer: `/provenance/${name}`,
    });
    expect(proposed()).toEqual([]);
  });

  it.each([
    [{ nonsense: 1 }, '/nonsense'],
    [{ args: [] }, '/args'],
    [{ args: null }, '/args'],
    [{ tool_id: '' }, '/tool_id'],
    [{ provenance: { note: 'free text' } }, '/provenance/note'],
    [{ provenance: { client: 'with blanks' } }, '/provenance/client'],
    [{ session_mode: 'root' }, '/session_mode'],
    [{ precondition_refs: [{ kind: 'x' }] }, '/precondition_refs/0'],
    [{ deadline: 1.5 }, '/deadline'],
    [{ idempotency_key: 'a b' }, '/idempotency_key'],
    [{ dry_run: 'yes' }, '/dry_run'],
    [{ task_class: 'UPPER' }, '/task_class'],
  ])('%j is refused with its place', async (more, pointer) => {
    const { status, json } = await propose(more);
    expect({ status, code: json['code'], pointer: json['pointer'] }).toEqual({
      status: 400,
      code: 'request.malformed',
      pointer,
    });
    expect(proposed()).toEqual([]);
  });

  it('two idempotency keys are refused', async () => {
    expect((await propose({ idempotency_key: 'a' }, { 'idempotency-key': 'b' })).json).toMatchObject({
      code: 'request.malformed',
      pointer: '/idempotency_key',
    });
  });

  it('arguments above their limit are refused by size, with what to do', async () => {
    expect((await propose({ args: { content: 'x'.repeat(1_100_000) } })).json).toMatchObject({
      code: 'args.too_large',
      status: 413,
      detail: expect.stringContaining('as files'),
    });
  });

  it('a deadline that has passed is refused', async () => {
    expect((await propose({ deadline: 1 })).json).toEqual(problem('deadline', 504));
    expect(proposed()).toEqual([]);
  });

  it("a passed deadline with an idempotency key is left to the kernel: it may be an earlier call's", async () => {
    api.kernel.admits = (call) => viewOf(call, 'no_op');
    expect((await propose({ deadline: 1, idempotency_key: 'k' })).status).toBe(200);
    expect(proposed()).toMatchObject([{ deadline: 1 }]);
  });
});

describe('the agent of a call', () => {
  it("other than the key's own is answered as not found", async () => {
    const [other, none] = [await api.newTenant(), newId('agent')];
    const answers = await Promise.all([other.agentId, none].map((agent_id) => propose({ agent_id })));
    for (const { status, json } of answers) expect([status, json['code']]).toEqual([404, 'not_found']);
    expect(proposed()).toEqual([]);
  });

  it('is the one that an administrator names, and must be named', async () => {
    expect((await propose({ agent_id: tenant.agentId }, {}, tenant.admin)).status).toBe(200);
    expect((await propose({}, {}, tenant.admin)).json).toMatchObject({
      code: 'request.malformed',
      pointer: '/agent_id',
    });
  });

  it.each(['operator', 'auditor'] as const)('is refused for the role %s, which may not propose calls', async (role) => {
    expect((await propose({ agent_id: tenant.agentId }, {}, tenant[role])).json).toEqual(problem('auth.role', 403));
  });
});

test('a client that goes away cancels nothing', async () => {
  const admitted = new Promise<ProposedCall>((resolve) => {
    api.kernel.admits = (call) => {
      resolve(call);
      return viewOf(call, 'performing');
    };
  });
  const leave = new AbortController();
  const left = fetch(`${api.url}/v1/tool-calls`, {
    method: 'POST',
    signal: leave.signal,
    headers: { authorization: `Bearer ${tenant.agent}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await admitted;
  leave.abort();
  await expect(left).rejects.toThrow();
  expect(api.kernel.requests.some(({ verb }) => verb === 'operation.cancel')).toBe(false);
});

test("one trace begins at the API, or goes on from the client's", async () => {
  await propose();
  const own = /^00-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(api.kernel.traceparent ?? '')?.[1];
  expect(own).toMatch(/[1-9a-f]/);
  await propose({}, { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` });
  expect(api.kernel.traceparent).toMatch(new RegExp(`^00-${'ab'.repeat(16)}-(?!${'cd'.repeat(8)})`));
});

test('neither arguments nor keys are in the log', async () => {
  await propose({ args: { path: 'very-secret-path' } });
  const log = api.lines.join('');
  expect(log).toContain('/v1/tool-calls');
  expect(log).not.toContain('very-secret-path');
  expect(log).not.toContain(tenant.agent.slice(-43));
});
