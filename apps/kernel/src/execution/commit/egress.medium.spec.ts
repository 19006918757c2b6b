// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type Caller, type EgressRequest, type Grant } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { putSealed, reportOf, credentialsOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import { requestBy, callerOf } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { ReadRequests } from '../../management/operation-queries/index.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  kernel.policy.answer = () => AUTOPILOT;
  kernel.policy.judged.length = 0;
});

const POSTS: Partial<Grant> = { net: [{ domain: 'api.example.org', methods: ['POST'] }] };
const post = (url = 'https://api.example.org/v1') => ({
  tool_id: 'net.egress',
  args: { route: { method: 'POST', url }, purpose: 'to tell' },
});
const ANSWER = { status: 201, headers: {}, body: 'ok', encoding: 'utf8', size: 2, truncated: false };
const request = (more: Partial<EgressRequest> = {}): EgressRequest => ({
  at_ms: 1,
  method: 'POST',
  target: 'https://api.example.org/v1',
  purpose: 'to tell',
  outcome: 'answered',
  reason: null,
  address: '93.184.216.34',
  status: 201,
  sent_bytes: 10,
  received_bytes: 20,
  ...more,
});
const outcome = async () => (await tenant.records()).find((record) => record.phase === 'outcome');
const perform = async (grant: Partial<Grant> = POSTS, call: object = post()) =>
  await run.perform(tenant, tenant.writeCall(await tenant.token(grant), call));
const admit = async (grant: Partial<Grant>, call: object) =>
  await kernel.admit.run(tenant.writeCall(await tenant.token(grant), call), null);

describe('a call that names a request', () => {
  it.each([
    ['another host', POSTS, post('https://example.org/v1')],
    ['another method', { net: [{ domain: 'api.example.org', methods: ['GET'] }] }, post()],
    ['no host at all', {}, post()],
    ['the usual ports alone', POSTS, post('https://api.example.org:8443/v1')],
    ['another port alone', { net: [{ domain: 'api.example.org', methods: ['POST'], ports: [8443] }] }, post()],
  ])('is refused where its token grants %s', async (_, grant, call) => {
    expect(await admit(grant, call)).toMatchObject({ state: 'refused', result: { error: { code: 'token.scope' } } });
  });

  it('is admitted to a port that its token names', async () => {
    const net = [{ domain: 'api.example.org', methods: ['POST'], ports: [8443] }];
    expect(await admit({ net }, post('https://api.example.org:8443/v1'))).toMatchObject({ state: 'admitted' });
  });

  it('is refused where one token of the chain does not grant it', async () => {
    const parent = await tenant.token({ net: [{ domain: 'other.org', methods: ['POST'] }] });
    const child = await tenant.token(POSTS, { parent_id: parent as never });
    expect(await kernel.admit.run(tenant.writeCall(child, post()), null)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.scope' } },
    });
  });

  it.each([
    'http://169.254.169.254.:80/',
    'https://user@api.example.org/',
    'http://2130706433/',
    'https://api.example.org:80/',
    'ftp://api.example.org/',
  ])('is refused for the URL %s', async (url) => {
    expect(await admit(POSTS, post(url))).toMatchObject({
      state: 'refused',
      result: { error: { code: 'args.invalid' } },
    });
  });

  it('is judged by policy with its host, its method and its purpose', async () => {
    await admit(POSTS, post());
    expect(kernel.policy.judged.at(-1)?.egress).toEqual({
      domains: ['api.example.org'],
      methods: ['POST'],
      purpose: 'to tell',
    });
  });

  it('waits in its own lane, and its executor receives the grants of every token of the chain', async () => {
    const { attempt, redemption } = await perform({ ...POSTS, budgets: { egress_bytes: 5_000 } });
    expect(redemption).toMatchObject({ net: [POSTS.net], limits: { egress_bytes: 5_000 } });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ lane: 'broker', reserved: { egress_bytes: 5_000 } });
  });
});

describe('a report of egress', () => {
  it('commits what was done outside, with its requests in the payload, and their number and hash in the record', async () => {
    const { attempt } = await perform({ ...POSTS, budgets: { egress_bytes: 1_000_000 } });
    await run.renew.effectStarted(credentialsOf(attempt));
    const requests = [request(), request({ outcome: 'refused', reason: 'no', status: null, address: null })];
    const usage = {
      wall_ms: 5,
      cpu_ms: 3,
      memory_peak_bytes: 0,
      disk_write_bytes: 0,
      output_bytes: 0,
      egress_bytes: 30,
    };
    expect(await run.commit.run(reportOf(attempt, null, { requests, result: ANSWER, usage }))).toEqual({
      v: 1,
      state: 'committed',
      tx_outcome: 'committed',
    });
    const record = await outcome();
    expect(record).toMatchObject({
      egress_count: 2,
      egress_hash: sha256Hex(canonicalBytes(requests)),
      tx_outcome: 'committed',
      new_snapshot_id: null,
      budget_delta: { egress_bytes: 30 },
    });
    const delta = JSON.parse(
      Buffer.from(await kernel.blobs.get(tenant.tenantId, String(record?.commit_delta_id).slice(6))).toString(),
    ) as object;
    expect(delta).toMatchObject({ base: attempt.snapshot, changes: [] });
    const { rows } = await kernel.admin.query<{ requests: Buffer }>(
      'SELECT requests FROM kernel.payload WHERE operation_id = $1',
      [attempt.operation_id],
    );
    expect(rows[0]?.requests.toString('latin1')).not.toContain('example');
    expect(
      JSON.parse(
        String(await kernel.vault.calls.open(tenant.tenantId, attempt.operation_id, 'requests', rows[0]!.requests)),
      ),
    ).toEqual(requests);
  });

  it('may have a long list by reference', async () => {
    const { attempt } = await perform();
    const requests = Array.from({ length: LIMITS.egressRequests.max }, (_, n) =>
      request({ at_ms: n, outcome: 'refused', status: null }),
    );
    const requests_ref = await putSealed(kernel, attempt, 'requests', Buffer.from(JSON.stringify(requests)));
    expect(await run.commit.run(reportOf(attempt, null, { requests_ref, result: ANSWER }))).toMatchObject({
      tx_outcome: 'no_op',
    });
    expect(await outcome()).toMatchObject({
      egress_count: LIMITS.egressRequests.max,
      egress_hash: sha256Hex(canonicalBytes(requests)),
    });
  });

  it.each([
    ['both ways', { requests: [request()], requests_ref: { sha256: '0'.repeat(64), size: 1 } }],
    ['by a reference to nothing', { requests_ref: { sha256: '0'.repeat(64), size: 1 } }],
    ['inline, longer than a message takes', { requests: Array.from({ length: 200 }, () => request()) }],
  ])('that lists them %s is no effect', async (_, more) => {
    const { attempt } = await perform();
    await run.commit.run(reportOf(attempt, null, { result: ANSWER, ...more }));
    expect(await outcome()).toMatchObject({ tx_outcome: 'rolled_back', fault_code: 'effect.invalid', egress_count: 0 });
  });

  it('of a failure after something may have left is ambiguous, and still lists the requests', async () => {
    const { attempt } = await perform();
    await run.renew.effectStarted(credentialsOf(attempt));
    const error = { code: 'egress.failed', message: 'no answer', hint: null };
    await run.commit.run(
      reportOf(attempt, null, {
        ended: 'failed',
        error,
        result: null,
        requests: [request({ outcome: 'failed', status: null })],
      }),
    );
    expect(await outcome()).toMatchObject({ tx_outcome: 'ambiguous', egress_count: 1, fault_code: 'effect.ambiguous' });
  });

  it('of a failure before anything left did nothing', async () => {
    const { attempt } = await perform();
    const error = { code: 'egress.refused', message: 'its address is not public', hint: null };
    await run.commit.run(
      reportOf(attempt, null, {
        ended: 'failed',
        error,
        result: null,
        requests: [request({ outcome: 'refused', status: null })],
      }),
    );
    expect(await outcome()).toMatchObject({ tx_outcome: 'rolled_back', egress_count: 1, fault_code: 'egress.refused' });
  });
});

describe('a command', () => {
  const command = { tool_id: 'shell.run', args: { command: 'true' } };

  it('runs with no budget left to send, and may then send nothing', async () => {
    const { redemption } = await perform({ ...POSTS, budgets: { egress_bytes: 0 } }, command);
    expect(redemption.limits.egress_bytes).toBe(0);
  });

  it('is judged by policy with all hosts that its token allows, and with none where it allows none', async () => {
    await admit(POSTS, command);
    expect(kernel.policy.judged.at(-1)?.egress).toEqual({
      domains: ['api.example.org'],
      methods: ['POST'],
      purpose: '',
    });
    await admit({}, command);
    expect(kernel.policy.judged.at(-1)?.egress).toBeNull();
  });
});

it('a request without a budget left to send is refused', async () => {
  expect(await admit({ ...POSTS, budgets: { egress_bytes: 0 } }, post())).toMatchObject({
    state: 'refused',
    result: { error: { code: 'budget.exhausted' } },
  });
});

it('the list of egress requests is read page by page by anyone who may see the call, whole and as its record has it', async () => {
  const { attempt } = await perform();
  const list = [1, 2, 3].map((at_ms) => request({ at_ms }));
  await run.renew.effectStarted(credentialsOf(attempt));
  await run.commit.run(reportOf(attempt, null, { result: ANSWER, requests: list }));
  const read = new ReadRequests(kernel.tenants, kernel.vault);
  const { operation_id } = attempt;
  const ask = (caller: Caller, page = { cursor: null as string | null, limit: 2 }) =>
    read.run({ ...requestBy(caller), operation_id, page });
  const admin = callerOf(tenant.tenantId);
  const first = await ask(admin);
  expect(first).toEqual({ items: list.slice(0, 2), next_cursor: '2', total: 3, hash: (await outcome())?.egress_hash });
  expect(await ask(admin, { cursor: first.next_cursor, limit: 2 })).toMatchObject({
    items: list.slice(2),
    next_cursor: null,
  });
  expect(await ask(callerOf(tenant.tenantId, 'agent', tenant.agentId))).toMatchObject({ total: 3 });
  await expect(ask(callerOf(tenant.tenantId, 'agent', newId('agent')))).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask(callerOf((await kernel.newTenant()).tenantId))).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask(admin, { cursor: '-1', limit: 2 })).rejects.toMatchObject({ code: 'request.malformed' });
});

describe('the requests announced by an attempt that was not reported', () => {
  const loseLease = (id: string) =>
    tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [id]);
  const again = async (before: Attempt): Promise<Attempt> => {
    run.dispatch('sandboxed');
    for (;;) {
      const permit = await run.permitOf(before.operation_id, 'sandboxed');
      const redemption = await run.redeem
        .run({ v: 1, permit, executor_id: before.executor_id, nonce: before.nonce })
        .catch(() => null);
      if (redemption !== null) return { ...before, attempt: redemption.attempt };
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  };
  const waiting = request({ outcome: 'failed', reason: 'it did not end', status: null, address: null });
  const unreported = { outcome: 'unreported', reason: 'nobody reported what became of it' };
  const listOf = async (operation_id: string) =>
    await new ReadRequests(kernel.tenants, kernel.vault).run({
      ...requestBy(callerOf(tenant.tenantId)),
      operation_id,
      page: { cursor: null, limit: 10 },
    });
  const announced = async (id: string) =>
    (
      await kernel.admin.query<{ announced: Buffer[] }>(
        'SELECT announced FROM kernel.payload WHERE operation_id = $1',
        [id],
      )
    ).rows[0]?.announced ?? null;

  it('are its list, line by line as each was announced last, and are in the record', async () => {
    const { attempt } = await perform();
    const { operation_id } = attempt;
    await run.renew.run({
      ...credentialsOf(attempt),
      announced: { seq: 0, from: 0, items: [request({ outcome: 'refused', status: null }), waiting] },
    });
    await run.renew.effectStarted({
      ...credentialsOf(attempt),
      announced: {
        seq: 2,
        from: 1,
        items: [
          { ...waiting, address: '93.184.216.34' },
          { ...waiting, at_ms: 2 },
        ],
      },
    });
    // Sent before, and overtaken.
    await run.renew.run({ ...credentialsOf(attempt), announced: { seq: 1, from: 1, items: [waiting] } });
    expect((await announced(operation_id))?.some((piece) => piece.toString('latin1').includes('example'))).toBe(false);
    await loseLease(operation_id);
    await run.sweeper.sweep();
    const list = await listOf(operation_id);
    expect(list.items).toEqual([
      request({ outcome: 'refused', status: null }),
      { ...waiting, ...unreported, address: '93.184.216.34' },
      { ...waiting, ...unreported, at_ms: 2 },
    ]);
    expect(await outcome()).toMatchObject({ tx_outcome: 'ambiguous', egress_count: 3, egress_hash: list.hash });
    expect(await announced(operation_id)).toEqual([]);
  });

  it("come before those of a later attempt's report, and the later attempt's own are listed once", async () => {
    const { attempt } = await perform(
      { net: [{ domain: 'api.example.org', methods: ['POST', 'GET'] }] },
      { tool_id: 'shell.run', args: { command: 'true' } },
    );
    const { operation_id } = attempt;
    await run.renew.run({ ...credentialsOf(attempt), announced: { seq: 0, from: 0, items: [waiting] } });
    await loseLease(operation_id);
    await run.sweeper.sweep();
    const second = await again(attempt);
    await run.renew.run({ ...credentialsOf(second), announced: { seq: 0, from: 0, items: [waiting] } });
    await run.commit.run(reportOf(second, null, { requests: [request({ at_ms: 7 })] }));
    expect(await listOf(operation_id)).toMatchObject({
      total: 2,
      items: [unreported, { at_ms: 7, outcome: 'answered' }],
    });
  });

  it('are accepted only from the attempt that has the call, from no preview, and up to a bound', async () => {
    const { attempt } = await perform();
    const piece = { seq: 0, from: 0, items: [waiting] };
    await expect(run.renew.run({ ...credentialsOf(attempt), attempt: 9, announced: piece })).rejects.toMatchObject({
      code: 'attempt.fenced',
    });
    await expect(
      run.renew.run({ ...credentialsOf(attempt), tenant_id: newId('tenant'), announced: piece }),
    ).rejects.toMatchObject({ code: 'attempt.fenced' });
    await expect(run.renew.run({ ...credentialsOf(attempt), mode: 'preview', announced: piece })).rejects.toMatchObject(
      { code: 'request.malformed' },
    );
    expect(await announced(attempt.operation_id)).toEqual([]);
    await tenant.query(
      `UPDATE kernel.payload SET announced = array_fill('x'::bytea, ARRAY[3072]) WHERE operation_id = $1`,
      [attempt.operation_id],
    );
    await expect(run.renew.effectStarted({ ...credentialsOf(attempt), announced: piece })).rejects.toThrow();
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ effect_started: false });
  });
});
