// SPDX-License-Identifier: Apache-2.0
import { Fault, OperationView, parseMessage, type ProposedCall } from '@writ/contract';
import { parseVerifier, verifyEnvelope } from '@writ/signing';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import { hashOf, type TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({
    'a.txt': 'hello',
    'src/b.txt': 'b',
    'out/link': '->../src/b.txt',
    'src/away': '->../../etc/passwd',
  });
  token = await tenant.token();
  kernel.policy.answer = () => AUTOPILOT;
});
const admit = async (call: ProposedCall): Promise<OperationView> =>
  parseMessage(OperationView, await kernel.admit.run(call, null));
const refusalOf = async (call: ProposedCall): Promise<string | undefined> => {
  const view = await admit(call);
  expect(view.state).toBe('refused');
  expect((await tenant.records()).at(-1)).toMatchObject({
    operation_id: call.operation_id,
    verdict: 'refused',
    fault_code: view.result?.error?.code,
  });
  return view.result?.error?.code;
};

describe('an admitted call', () => {
  it('has its decision, claim, payload and signed record before it is answered', async () => {
    const call = tenant.writeCall(token);
    const view = await admit(call);
    expect(view).toMatchObject({
      state: 'admitted',
      autonomy_mode: 'autopilot',
      risk_score: 0.1,
      result: null,
      replayed: false,
    });
    expect(await tenant.row(call.operation_id)).toMatchObject({
      state: 'admitted',
      lane: 'inline',
      mutating: true,
      state_snapshot_id: tenant.head,
      attempt: 0,
    });
    expect(await tenant.countOf('idempotency')).toBe(1);
    const [record] = await tenant.records();
    expect(record).toMatchObject({
      phase: 'decision',
      verdict: 'admitted',
      tx_outcome: null,
      record_id: view.decision_record_id,
    });
    const sealed = kernel.outbox.records.at(-1);
    const envelope = {
      payloadType: 'application/vnd.in-toto+json',
      payload: sealed?.payload.toString('base64'),
      signatures: [{ keyid: sealed?.keyid, sig: sealed?.sig.toString('base64') }],
    };
    const verifier = parseVerifier(kernel.signer.publicJwk);
    expect(Buffer.from(verifyEnvelope(envelope, new Map([[verifier.keyid, verifier]]), envelope.payloadType))).toEqual(
      sealed?.payload,
    );
    expect(kernel.bell.woken).toContain('inline');
    // The reply has the decision. An event would wake callers that wait for the end.
    expect(kernel.events.changes).toEqual([]);
  });

  it('keeps its arguments only encrypted', async () => {
    const call = tenant.writeCall(token, { args: { path: 'a.txt', content: 'a very plain secret' } });
    await admit(call);
    const { rows } = await kernel.admin.query('SELECT args, salt FROM kernel.payload WHERE operation_id = $1', [
      call.operation_id,
    ]);
    expect(rows[0].args.includes('plain secret')).toBe(false);
    expect(
      JSON.parse(String(await kernel.vault.calls.open(tenant.tenantId, call.operation_id, 'args', rows[0].args))),
    ).toEqual(call.args);
    expect(JSON.stringify(await tenant.records())).not.toContain('plain secret');
  });

  it('accepts arguments by reference and checks their hash and size', async () => {
    const args_ref = await kernel.blobs.put(tenant.tenantId, Buffer.from('{"content":"x","path":"a.txt"}'));
    expect((await admit(tenant.writeCall(token, { args: null, args_ref }))).state).toBe('admitted');
    expect(await refusalOf(tenant.writeCall(token, { args: null, args_ref: { ...args_ref, size: 3 } }))).toBe(
      'args.invalid',
    );
    expect(await refusalOf(tenant.writeCall(token, { args: null, args_ref: { sha256: hashOf('no'), size: 2 } }))).toBe(
      'args.invalid',
    );
    const list = await kernel.blobs.put(tenant.tenantId, Buffer.from('[]'));
    expect(await refusalOf(tenant.writeCall(token, { args: null, args_ref: list }))).toBe('args.invalid');
    const twice = await kernel.blobs.put(tenant.tenantId, Buffer.from('{"path":"a","path":"b"}'));
    expect(await refusalOf(tenant.writeCall(token, { args: null, args_ref: twice }))).toBe('args.invalid');
  });
});

describe('the same operation id', () => {
  it('gets the same decision and makes no second record', async () => {
    const call = tenant.writeCall(token);
    const first = await admit(call);
    kernel.policy.answer = requires('no_go');
    expect(await admit({ ...call, deadline: 1 })).toEqual(first);
    expect(await tenant.countOf('outbox')).toBe(1);
  });

  it('is a conflict for another content', async () => {
    const call = tenant.writeCall(token);
    await admit(call);
    await expect(admit({ ...call, args: { path: 'b.txt', content: 'x' } })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is a conflict for another tenant, and changes nothing there', async () => {
    const call = tenant.call(token);
    await admit(call);
    const other = await kernel.newTenant();
    await expect(admit({ ...other.call(await other.token()), operation_id: call.operation_id })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await other.countOf('outbox')).toBe(0);
  });
});

describe('a refused call', () => {
  it.each<[string, string, Partial<ProposedCall>]>([
    ['an unknown tool', 'tool.unknown', { tool_id: 'fs.erase' }],
    ['a tool that is not there yet', 'tool.not_available', { tool_id: 'web.search', args: { query: 'x' } }],
    ['a missing argument', 'args.invalid', { args: {} }],
    ['an unknown argument', 'args.invalid', { args: { path: 'a.txt', mode: 'x' } }],
    [
      'arguments too deep',
      'args.invalid',
      { args: { path: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as unknown } },
    ],
    ['arguments with NUL', 'args.invalid', { args: { path: 'a\0b' } }],
    ['no arguments', 'args.invalid', { args: null }],
    ['a path upwards', 'path.escape', { args: { path: '../a' } }],
    ['an absolute path', 'path.escape', { args: { path: '/etc/passwd' } }],
    ['a control character in a path', 'path.invalid', { args: { path: 'a\nb' } }],
    ['a link that leads outside', 'path.escape', { args: { path: 'src/away' } }],
    ['a mutating call without a key', 'idempotency.missing', { tool_id: 'fs.write', args: { path: 'a', content: '' } }],
    ['a token that is not there', 'token.unknown', { capability_token_id: newId('token') }],
    ['a workspace that is not there', 'workspace.unknown', { workspace_id: newId('workspace') }],
    ['an agent that is not there', 'not_found', { agent_id: newId('agent') }],
    ['a deadline gone by', 'deadline', { deadline: 1 }],
    [
      'another snapshot',
      'precondition.failed',
      { precondition_refs: [{ kind: 'snapshot', ref: 'w', version: `snap_${'0'.repeat(64)}` }] },
    ],
    [
      'another content',
      'precondition.failed',
      { precondition_refs: [{ kind: 'path', ref: 'a.txt', version: hashOf('other') }] },
    ],
    [
      'a file that should be absent',
      'precondition.failed',
      { precondition_refs: [{ kind: 'path', ref: 'a.txt', version: 'absent' }] },
    ],
    [
      'something outside without a version',
      'precondition.failed',
      { precondition_refs: [{ kind: 'external_version', ref: 'x', version: '1' }] },
    ],
  ])('for %s says %s, has a record and claims nothing', async (_what, code, more) => {
    expect(await refusalOf(tenant.call(token, more))).toBe(code);
    expect(await tenant.countOf('idempotency')).toBe(0);
  });

  it('names every wrong argument at once', async () => {
    const view = await admit(tenant.call(token, { args: { path: 3, offset: -1 } }));
    expect(view.reasons.map(({ message }) => message).join()).toMatch(/\/offset.*\/path|\/path.*\/offset/);
  });

  it('ends as rolled_back where it would have written, and as no_op where it would have read', async () => {
    expect((await admit(tenant.call(newId('token')))).result).toMatchObject({
      status: 'error',
      tx_outcome: 'no_op',
      receipt: { state: 'pending' },
    });
    expect((await admit(tenant.writeCall(newId('token')))).result).toMatchObject({
      status: 'error',
      tx_outcome: 'rolled_back',
    });
  });

  it('gets the same answer for a token of another tenant as for one that does not exist', async () => {
    const other = await kernel.newTenant();
    const strip = ({ result }: OperationView) => ({ error: result?.error, reasons: result?.reasons });
    expect(strip(await admit(tenant.call(await other.token())))).toEqual(
      strip(await admit(tenant.call(newId('token')))),
    );
    expect(await refusalOf(tenant.call(token, { workspace_id: other.workspaceId }))).toBe('workspace.unknown');
  });

  it('is refused for a path that is out of scope only through a link', async () => {
    const narrow = await tenant.token({ fs: [{ path: 'out', read: true, write: false }] });
    expect(await refusalOf(tenant.call(narrow, { args: { path: 'out/link' } }))).toBe('token.scope');
    const both = await tenant.token({
      fs: [
        { path: 'out', read: true, write: false },
        { path: 'src', read: true, write: false },
      ],
    });
    expect((await admit(tenant.call(both, { args: { path: 'out/link' } }))).state).toBe('admitted');
  });

  it('is refused where one token of its chain is not valid', async () => {
    const child = await tenant.token({}, { parent_id: token });
    expect((await admit(tenant.call(child))).state).toBe('admitted');
    await tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [token]);
    expect(await refusalOf(tenant.call(child))).toBe('token.revoked');
    expect(await refusalOf(tenant.call(await tenant.token({ expires_at: 2 })))).toBe('token.expired');
    expect(await refusalOf(tenant.call(await tenant.token({ tools: ['fs.list'] })))).toBe('token.tool');
  });

  it('has the reasons of the policy', async () => {
    kernel.policy.answer = requires('no_go');
    const view = await admit(tenant.call(token));
    expect(view).toMatchObject({
      state: 'refused',
      autonomy_mode: 'no_go',
      risk_score: 0.8,
      reasons: [{ code: 'rule.test' }],
    });
    expect(view.result?.error?.code).toBe('policy.denied');
  });

  it('is not decided while records wait too long', async () => {
    await tenant.query(
      `INSERT INTO kernel.outbox (record_id, tenant_id, payload, keyid, sig, created_at) VALUES ($1, $2, '', '', '', kernel.now_ms() - 10500)`,
      [newId('record'), tenant.tenantId],
    );
    await expect(admit(tenant.call(token))).rejects.toMatchObject({ code: 'record.backlog', retryable: true });
    expect(await tenant.countOf('operation')).toBe(0);
    await tenant.query(`UPDATE kernel.outbox SET created_at = kernel.now_ms() - 1500 WHERE tenant_id = $1`, [
      tenant.tenantId,
    ]);
    expect((await admit(tenant.call(token))).state).toBe('admitted');
    await tenant.query(
      `INSERT INTO kernel.outbox (record_id, tenant_id, payload, keyid, sig) SELECT 'rec_' || n, $1, '', '', '' FROM generate_series(1, 10000) n`,
      [tenant.tenantId],
    );
    await expect(admit(tenant.call(token))).rejects.toMatchObject({ code: 'record.backlog' });
  });
});

describe('supervision', () => {
  it('holds an interactive call with an approval, without a reservation', async () => {
    kernel.policy.answer = requires('soft_gate');
    const budgeted = await tenant.token({ budgets: { calls: 1 } });
    const view = await admit(tenant.writeCall(budgeted));
    expect(view).toMatchObject({
      state: 'held',
      autonomy_mode: 'soft_gate',
      result: null,
      reasons: [{ message: 'the rule asks for soft_gate' }],
    });
    expect(view.approval_id).toMatch(/^apr_/);
    expect(await tenant.budgetOf(budgeted)).toEqual({ calls: { reserved: 0, used: 0, bound: 1 } });
    expect(await tenant.countOf('approval')).toBe(1);
    expect(await tenant.countOf('idempotency')).toBe(1);
    expect((await tenant.records())[0]).toMatchObject({ verdict: 'held', approval_refs: [view.approval_id] });
  });

  it.each(['gateway', 'scheduled'] as const)(
    'refuses at once with a hint where no person can be asked (%s)',
    async (session_mode) => {
      kernel.policy.answer = requires('escalated');
      const view = await admit(tenant.writeCall(token, { session_mode }));
      expect(view).toMatchObject({ state: 'refused', result: { error: { code: 'policy.denied' } } });
      expect(view.result?.error?.hint).toContain('interactive');
    },
  );

  it('can be tightened by a session and never loosened', async () => {
    expect(await admit(tenant.call(token, { max_autonomy: 'soft_gate' }))).toMatchObject({
      state: 'held',
      autonomy_mode: 'soft_gate',
    });
    kernel.policy.answer = requires('escalated');
    expect(await admit(tenant.call(token, { max_autonomy: 'autopilot' }))).toMatchObject({
      state: 'held',
      autonomy_mode: 'escalated',
    });
  });
});

describe('a dry run', () => {
  it('is decided and recorded, claims and reserves nothing, and ends at once', async () => {
    const budgeted = await tenant.token({ budgets: { calls: 1 } });
    const call = tenant.writeCall(budgeted, { dry_run: true });
    const view = await admit(call);
    expect(view).toMatchObject({ state: 'no_op', result: { status: 'ok', tx_outcome: 'no_op' } });
    expect(view.reasons.at(-1)?.message).toContain('would be admitted');
    expect((await tenant.records())[0]).toMatchObject({
      verdict: 'admitted',
      tx_outcome: 'no_op',
      rule_ids: ['dry_run', 'permit-all'],
      budget_delta: null,
    });
    expect(await tenant.countOf('idempotency')).toBe(0);
    expect((await tenant.budgetOf(budgeted))['calls']?.reserved).toBe(0);
    expect((await admit({ ...call, operation_id: newId('operation'), dry_run: false })).state).toBe('admitted');
  });

  it('has no approval where the call would be held, and is refused where the call would be', async () => {
    kernel.policy.answer = requires('soft_gate');
    expect(await admit(tenant.writeCall(token, { dry_run: true }))).toMatchObject({
      state: 'no_op',
      approval_id: null,
    });
    expect(await admit(tenant.writeCall(newId('token'), { dry_run: true }))).toMatchObject({ state: 'refused' });
    expect(await tenant.countOf('approval')).toBe(0);
  });
});

describe('a call whose judging fails with a bug', () => {
  const bug = (): never => {
    throw new RangeError('Maximum call stack size exceeded');
  };

  it('is refused once with a record, and nothing runs', async () => {
    kernel.policy.answer = bug;
    const call = tenant.writeCall(token);
    expect(await refusalOf(call)).toBe('internal');
    expect(await tenant.countOf('operation')).toBe(1);
    expect(await tenant.records()).toHaveLength(1);
  });

  it('is not judged again when it is sent again', async () => {
    kernel.policy.answer = bug;
    const call = tenant.writeCall(token);
    await admit(call);
    const judged = kernel.policy.judged.length;
    expect(await admit(call)).toMatchObject({ state: 'refused', result: { error: { code: 'internal' } } });
    expect(kernel.policy.judged).toHaveLength(judged);
    expect(await tenant.records()).toHaveLength(1);
  });

  it('is not refused for a fault: it may be sent again', async () => {
    kernel.policy.answer = () => {
      throw new Fault('overloaded');
    };
    const call = tenant.writeCall(token);
    await expect(admit(call)).rejects.toMatchObject({ code: 'overloaded' });
    expect(await tenant.countOf('operation')).toBe(0);
    kernel.policy.answer = () => AUTOPILOT;
    expect((await admit(call)).state).toBe('admitted');
  });
});
