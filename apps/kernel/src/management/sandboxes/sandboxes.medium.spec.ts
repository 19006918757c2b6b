// SPDX-License-Identifier: Apache-2.0
import { KERNEL_REQUESTS, LIMITS, parseMessage, type SandboxDetails } from '@writ/contract';
import { ENVIRONMENT_BYTES_MAX, SANDBOX_LIMITS, signSandbox } from '@writ/mk8-shell';
import type { Envelope, Signer } from '@writ/signing';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { newSigner, type TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, callerOf, pagesOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';
import { sandboxFor } from '../../judging/definitions/script-sandboxes.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let registrar: Signer;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  registrar = newSigner();
});

const NAME = 'build';
const admin = (of = tenant) => callerOf(of.tenantId);
const fragments = { greet: [{ verb: 'Echo', args: ['hello $WHO'] }] };
const put = (name = NAME, more: Record<string, unknown> = {}, caller = admin()) =>
  manage.registerSandbox.put({
    ...requestBy(caller),
    name,
    definition: { workspace_id: tenant.workspaceId, fragments, ...more },
  });
const read = (name = NAME, caller = admin()) => manage.listSandboxes.read({ ...requestBy(caller), name });
const remove = (name = NAME, caller = admin()) => manage.registerSandbox.remove({ ...requestBy(caller), name });
const list = (limit = 200, caller = admin()) =>
  pagesOf(limit, (page) => manage.listSandboxes.list({ ...requestBy(caller), page }));
const add = (key = registrar, caller = admin()) =>
  manage.registrars.add({ ...requestBy(caller), public_key: { ...key.publicJwk }, note: null });
const end = (as: 'retired' | 'revoked', keyid = registrar.keyid, caller = admin()) =>
  manage.registrars.end({ ...requestBy(caller), keyid, as });

interface Signing {
  readonly name?: string;
  readonly by?: Signer;
  readonly environment?: string;
  readonly at?: number;
  readonly of?: string;
  readonly digest?: string;
}
async function envelopeOf({
  name = NAME,
  by = registrar,
  environment = '# who\nWHO=world\n',
  at = Date.now(),
  of = tenant.tenantId,
  digest,
}: Signing = {}): Promise<Envelope> {
  return signSandbox(
    {
      v: 1,
      tenant_id: of,
      sandbox: name,
      definition_digest: digest ?? (await read(name)).definition_digest,
      environment,
      signed_at: at,
    },
    by,
  );
}
const take = (envelope: Envelope, name = NAME, caller = admin()): Promise<SandboxDetails> =>
  manage.registerSandbox.sign({ ...requestBy(caller), name, envelope });
const sign = async (signing: Signing = {}): Promise<SandboxDetails> =>
  await take(await envelopeOf(signing), signing.name);
const ready = async (): Promise<void> => {
  await add();
  await put();
  await sign();
};
const open = (name = NAME, of = tenant) => sandboxFor(kernel.tenants, of.tenantId, name);
const changes = async (): Promise<unknown[]> =>
  (await tenant.records()).map(({ change }) => [change?.verb, change?.subject]);

describe('a sandbox', () => {
  it('is registered, signed and removed, each with a record in the same transaction', async () => {
    await add();
    expect(await put()).toMatchObject({ valid: true, sandbox: { name: NAME, keyid: null, signed_at: null } });
    const signed = await sign();
    expect(signed).toMatchObject({
      keyid: registrar.keyid,
      environment: { WHO: 'world' },
      problem: null,
      definition: { workspace_id: tenant.workspaceId, fragments },
    });
    expect(await open()).toMatchObject({
      name: NAME,
      workspace_id: tenant.workspaceId,
      digest: signed.digest,
      environment: new Map([['WHO', 'world']]),
      fragments: new Map(Object.entries(fragments)),
    });
    expect(await remove()).toEqual({ removed: NAME });
    expect(await refusalOf(read())).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(remove())).toMatchObject({ code: 'not_found' });
    expect(await changes()).toEqual([
      ['registrar_key_added', registrar.keyid],
      ['sandbox_registered', NAME],
      ['sandbox_signed', NAME],
      ['sandbox_removed', NAME],
    ]);
  });

  it('that does not exist gets a message how to register it', async () => {
    expect(await refusalOf(open('nope'))).toMatchObject({
      code: 'sandbox.unknown',
      message: expect.stringContaining('writ sandbox register nope'),
    });
    expect(await refusalOf(open('a\0b'))).toMatchObject({ code: 'sandbox.unknown' });
  });

  it('is not registered where it has problems: all are returned with pointers, and nothing is written', async () => {
    const wrong = {
      rules: { blacklist: [{ id: 'a', kind: 'regex', pattern: '(', scope: 'everywhere', reason: 'x' }] },
      fragments: { greet: [{ verb: 3 }] },
    };
    expect((await put(NAME, wrong)).problems.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/rules/blacklist/0/pattern', '/fragments/greet/0/verb']),
    );
    expect(await refusalOf(put(NAME, { workspace_id: (await kernel.newTenant()).workspaceId }))).toMatchObject({
      code: 'workspace.unknown',
      pointer: '/workspace_id',
    });
    expect([await list(), await tenant.countOf('outbox')]).toEqual([[[]], 0]);
  });

  it('registered unchanged stays as it is, and registered with changes loses its signature', async () => {
    await ready();
    expect((await put()).sandbox).toMatchObject({ keyid: registrar.keyid });
    expect((await put(NAME, { enabled_templates: ['git.status'] })).sandbox).toMatchObject({ keyid: null });
    expect(await refusalOf(open())).toMatchObject({
      code: 'sandbox.unverified',
      message: expect.stringContaining('nobody has signed it'),
    });
    await sign();
    expect(await open()).toMatchObject({ definition: { enabled_templates: ['git.status'] } });
  });

  it("belongs to one tenant: another tenant can't see, sign or remove it", async () => {
    await ready();
    const other = await kernel.newTenant();
    expect(await list(200, admin(other))).toEqual([[]]);
    const envelope = await envelopeOf();
    const askings = [
      () => read(NAME, admin(other)),
      () => remove(NAME, admin(other)),
      () => take(envelope, NAME, admin(other)),
      () => end('revoked', registrar.keyid, admin(other)),
    ];
    for (const ask of askings) expect(await refusalOf(ask())).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(open(NAME, other))).toMatchObject({ code: 'sandbox.unknown' });
  });

  it.each(['operator', 'agent', 'auditor'] as const)('is not managed by the role %s', async (role) => {
    await ready();
    const caller = callerOf(tenant.tenantId, role, tenant.agentId);
    const envelope = await envelopeOf();
    const askings = [
      () => put('x', {}, caller),
      () => remove(NAME, caller),
      () => take(envelope, NAME, caller),
      () => add(newSigner(), caller),
      () => end('revoked', registrar.keyid, caller),
    ];
    for (const ask of askings) expect(await refusalOf(ask())).toMatchObject({ code: 'auth.role' });
    if (role === 'agent') expect(await refusalOf(read(NAME, caller))).toMatchObject({ code: 'auth.role' });
    else expect(await read(NAME, caller)).toMatchObject({ problem: null });
  });

  it('is listed by name page by page, and has a maximum number', async () => {
    for (const name of ['c', 'a', 'b-2', 'd']) await put(name);
    await remove('d');
    expect((await list(2)).map((page) => page.map(({ name }) => name))).toEqual([['a', 'b-2'], ['c']]);
    await tenant.query(
      `INSERT INTO kernel.sandbox (tenant_id, name, workspace_id, definition, definition_digest, updated_by) SELECT $1, 'n' || n, $2, '{}', repeat('0', 64), '' FROM generate_series(1, $3) n`,
      [tenant.tenantId, tenant.workspaceId, LIMITS.sandboxes.max - 3],
    );
    expect(await refusalOf(put('more'))).toMatchObject({ code: 'limit.exceeded' });
    expect((await put('a')).valid).toBe(true);
  });

  it('has the published sizes', () => {
    expect([SANDBOX_LIMITS.bytes, ENVIRONMENT_BYTES_MAX]).toEqual([
      LIMITS.sandboxBytes.max,
      LIMITS.sandboxEnvironmentBytes.max,
    ]);
  });

  it('has only lower-case names', () => {
    for (const name of ['Build', 'a/b', '', 'x'.repeat(65), '-a'])
      expect(() =>
        parseMessage(KERNEL_REQUESTS['sandbox.put'], { ...requestBy(admin()), name, definition: {} }),
      ).toThrow('/name');
  });
});

describe('a signature', () => {
  it('is accepted only from an active key of a registrar, for the current definition of this sandbox', async () => {
    await add();
    await put();
    await put('other');
    const good = await envelopeOf();
    const refused = [
      envelopeOf({ by: newSigner() }),
      envelopeOf({ of: newId('tenant') }),
      envelopeOf({ name: 'other' }),
      envelopeOf({ digest: '0'.repeat(64) }),
      Promise.resolve({ ...good, payloadType: 'application/json' }),
      Promise.resolve({ ...good, payload: Buffer.from('{}').toString('base64') }),
    ];
    for (const envelope of refused)
      expect(await refusalOf(take(await envelope))).toMatchObject({ code: 'sandbox.unverified' });
    expect((await read()).problem).toContain('nobody has signed it');
    expect((await take(good)).problem).toBeNull();
  });

  it('is later than every earlier one, also after a removal, and is not from the future', async () => {
    await ready();
    const older = await envelopeOf({ at: Date.now() - 60_000 });
    expect(await refusalOf(take(older))).toMatchObject({ code: 'conflict' });
    await remove();
    await put();
    expect(await refusalOf(take(older))).toMatchObject({ code: 'conflict' });
    expect(await refusalOf(sign({ at: Date.now() + 3_600_000 }))).toMatchObject({ code: 'conflict' });
    const newer = await envelopeOf({ at: Date.now() + 1_000 });
    expect(await take(newer)).toMatchObject({ problem: null });
    // A signature that is sent twice after a lost answer is accepted once.
    expect(await take(newer)).toMatchObject({ problem: null });
    expect((await changes()).filter((change) => JSON.stringify(change).includes('sandbox_signed'))).toHaveLength(2);
  });

  it('stays valid with a retired key, and not with a revoked one; a new key replaces it without a gap', async () => {
    await ready();
    const next = newSigner();
    await add(next);
    await end('retired');
    expect(await open()).toMatchObject({ keyid: registrar.keyid });
    expect(await refusalOf(sign({ at: Date.now() + 1_000 }))).toMatchObject({ code: 'sandbox.unverified' });
    const { digest } = await open();
    await sign({ by: next, at: Date.now() + 1_000 });
    expect(await open()).toMatchObject({ keyid: next.keyid });
    expect((await open()).digest).not.toBe(digest);
    expect(await end('revoked', next.keyid)).toMatchObject({ state: 'revoked' });
    expect(await refusalOf(open())).toMatchObject({
      code: 'sandbox.unverified',
      message: expect.stringContaining('was revoked'),
    });
    expect((await read()).problem).toContain('was revoked');
    expect(await refusalOf(add(next))).toMatchObject({ code: 'conflict' });
    const keys = await pagesOf(1, (page) => manage.registrars.list({ ...requestBy(admin()), page }));
    expect(
      keys
        .flat()
        .map(({ keyid, state }) => [keyid, state])
        .sort(),
    ).toEqual(
      [
        [registrar.keyid, 'retired'],
        [next.keyid, 'revoked'],
      ].sort(),
    );
  });

  it.each(['definition', 'statement', 'sig'])(
    'is invalid for a sandbox whose %s differs in one byte in the database, with a message',
    async (column) => {
      await ready();
      const flip = (): Promise<unknown> =>
        tenant.query(
          `UPDATE kernel.sandbox SET ${column} = set_byte(${column}, length(${column}) / 2, get_byte(${column}, length(${column}) / 2) # 1) WHERE tenant_id = $1 AND name = $2`,
          [tenant.tenantId, NAME],
        );
      await flip();
      expect(await refusalOf(open())).toMatchObject({
        code: 'sandbox.unverified',
        message: expect.stringContaining('writ sandbox sign build'),
      });
      expect(await read()).toMatchObject({
        environment: null,
        digest: null,
        problem: expect.stringContaining('nothing runs'),
      });
      await flip();
      expect(await open()).toMatchObject({ name: NAME });
    },
  );

  it('is refused where it was moved to another sandbox or its key was replaced', async () => {
    await ready();
    await put('other');
    await tenant.query(
      `UPDATE kernel.sandbox o SET statement = s.statement, keyid = s.keyid, sig = s.sig FROM kernel.sandbox s WHERE o.tenant_id = $1 AND s.tenant_id = $1 AND o.name = 'other' AND s.name = $2`,
      [tenant.tenantId, NAME],
    );
    expect(await refusalOf(open('other'))).toMatchObject({
      code: 'sandbox.unverified',
      message: expect.stringContaining('for another sandbox'),
    });
    await tenant.query('UPDATE kernel.registrar_key SET public_key = $2 WHERE tenant_id = $1', [
      tenant.tenantId,
      Buffer.from(newSigner().publicKey),
    ]);
    expect(await refusalOf(open())).toMatchObject({ code: 'sandbox.unverified' });
  });
});
