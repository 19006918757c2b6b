// SPDX-License-Identifier: Apache-2.0
import { KERNEL_REQUESTS, SECRETS_MAX } from '@writ/contract';
import { entityTag } from '@writ/digest';
import { sealTo, secretContext } from '@writ/sealing';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, callerOf, pagesOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

const MARKER = 'marker-91b7-of-a-secret';
let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
});

/** Sets a secret as the API does. */
const set = async (
  name: string,
  value = MARKER,
  {
    caller = callerOf(tenant.tenantId),
    note = null as string | null,
    sealedFor = name,
    if_match = undefined as string[] | undefined,
  } = {},
) => {
  const key = Buffer.from((await kernel.supplyValue.publicKey()).public_key, 'base64');
  const sealed = await sealTo(key, Buffer.from(value), secretContext(caller.tenant_id, sealedFor));
  const condition = if_match === undefined ? {} : { if_match };
  return await manage.secrets.set({ ...requestBy(caller), name, value: sealed.toString('base64'), note, ...condition });
};
const list = (limit = 200, caller = callerOf(tenant.tenantId, 'auditor')) =>
  pagesOf(limit, (page) => manage.secrets.list({ ...requestBy(caller), page }));
const remove = (name: string, caller = callerOf(tenant.tenantId), condition: { if_match?: string[] } = {}) =>
  manage.secrets.remove({ ...requestBy(caller), name, ...condition });
const read = (name: string, caller = callerOf(tenant.tenantId, 'auditor')) =>
  manage.secrets.read({ ...requestBy(caller), name });
const valueOf = (name: string, of = tenant) =>
  kernel.valueParts.values.consume(
    {
      tenant_id: of.tenantId,
      agent_id: of.agentId,
      session_id: null,
      capability_token_id: 'cap_x',
      name,
      secret: true,
    },
    newId('operation'),
  );

describe('a secret', () => {
  it('is set, replaced and removed, each with a record without the value in the same transaction', async () => {
    expect(await set('KEY', 'first', { note: 'of the registry' })).toMatchObject({
      name: 'KEY',
      version: 1,
      note: 'of the registry',
    });
    expect(await set('KEY', 'second')).toMatchObject({ version: 2, note: null });
    expect(await valueOf('KEY')).toBe('second');
    expect(await tenant.countOf('secret')).toBe(1);
    expect(await remove('KEY')).toMatchObject({ name: 'KEY', version: 2 });
    expect(await valueOf('KEY')).toBeNull();
    expect(await refusalOf(remove('KEY'))).toMatchObject({ code: 'not_found' });
    expect((await tenant.records()).map(({ change }) => [change?.verb, change?.subject])).toEqual([
      ['secret_set', 'KEY'],
      ['secret_set', 'KEY'],
      ['secret_removed', 'KEY'],
    ]);
  });

  it('is read without its value, by the roles that list them, and as the answer of a change shows it', async () => {
    const made = await set('KEY', MARKER, { note: 'of the registry' });
    expect(await read('KEY')).toEqual(made);
    expect(JSON.stringify(made)).not.toContain(MARKER);
    for (const name of ['OTHER', 'K\0Y', 'K\0EY'])
      expect([name, await refusalOf(read(name))]).toMatchObject([name, { code: 'not_found' }]);
    const stranger = callerOf((await kernel.newTenant()).tenantId);
    expect(await refusalOf(read('KEY', stranger))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(read('KEY', callerOf(tenant.tenantId, 'agent', tenant.agentId)))).toMatchObject({
      code: 'auth.role',
    });
  });

  it('is changed and removed under the tag of its present state alone, and by one of several who have it', async () => {
    const first = [entityTag(await set('KEY', 'first'))];
    const setting = ['second', 'third', 'fourth'].map((value) => set('KEY', value, { if_match: first }));
    const settled = await Promise.allSettled(setting);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = { code: 'precondition.failed' };
    expect(await refusalOf(set('KEY', 'fifth', { if_match: first }))).toMatchObject(refused);
    expect(await refusalOf(remove('KEY', callerOf(tenant.tenantId), { if_match: first }))).toMatchObject(refused);
    expect(await set('KEY', 'sixth', { if_match: ['*'] })).toMatchObject({ version: 3 });
    await remove('KEY', callerOf(tenant.tenantId), { if_match: ['other', entityTag(await read('KEY'))] });
    for (const if_match of [['*'], first])
      expect(await refusalOf(set('KEY', 'seventh', { if_match }))).toMatchObject(refused);
    expect(await list()).toEqual([[]]);
    expect((await tenant.records()).map(({ change }) => change?.verb)).toEqual([
      ...Array<string>(3).fill('secret_set'),
      'secret_removed',
    ]);
  });

  it('is listed newest first, page by page, and never with its value', async () => {
    for (const name of ['A', 'B_2', 'C', 'A']) await set(name);
    const pages = await list(2);
    expect(pages.map((page) => page.map(({ name, version }) => [name, version]))).toEqual([
      [
        ['A', 2],
        ['C', 1],
      ],
      [['B_2', 1]],
    ]);
    expect(JSON.stringify(pages)).not.toContain(MARKER);
    expect(await list(200, callerOf((await kernel.newTenant()).tenantId))).toEqual([[]]);
  });

  it('set by eight callers at once is set eight times, one after the other', async () => {
    const versions = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        set('KEY', `value ${String(n)}`).then(
          ({ version }) => version,
          () => null,
        ),
      ),
    );
    const stood = versions.filter((version) => version !== null);
    expect(new Set(stood).size).toBe(stood.length);
    expect((await list())[0]).toMatchObject([{ version: Math.max(...stood) }]);
    expect((await tenant.records()).filter(({ change }) => change?.verb === 'secret_set')).toHaveLength(stood.length);
  });

  it.each(['operator', 'agent', 'auditor'] as const)('is neither set nor removed by the role %s', async (role) => {
    await set('KEY');
    const caller = callerOf(tenant.tenantId, role, tenant.agentId);
    expect(await refusalOf(set('KEY', 'x', { caller }))).toMatchObject({ code: 'auth.role' });
    expect(await refusalOf(remove('KEY', caller))).toMatchObject({ code: 'auth.role' });
    expect(await valueOf('KEY')).toBe(MARKER);
  });

  it('of another tenant gets not_found', async () => {
    await set('KEY');
    const other = await kernel.newTenant();
    expect(await refusalOf(remove('KEY', callerOf(other.tenantId)))).toMatchObject({ code: 'not_found' });
    expect(await valueOf('KEY', other)).toBeNull();
  });

  it('rejects a value that is sealed for another name, is too long, or contains NUL', async () => {
    expect(await refusalOf(set('KEY', 'x', { sealedFor: 'OTHER' }))).toMatchObject({
      code: 'request.malformed',
      pointer: '/value',
    });
    expect(await refusalOf(set('KEY', 'x'.repeat(8 * 1024 + 1)))).toMatchObject({
      code: 'request.malformed',
      pointer: '/value',
    });
    expect(await refusalOf(set('KEY', 'a\0b'))).toMatchObject({ code: 'request.malformed', pointer: '/value' });
    expect(await list()).toEqual([[]]);
  });

  it('has a maximum number, at which an existing one can still be replaced', async () => {
    await tenant.query(
      `INSERT INTO kernel.secret (tenant_id, name, version, sealed, key_id, created_by) SELECT $1, 'N' || n, 1, '', '', '' FROM generate_series(1, $2) n`,
      [tenant.tenantId, SECRETS_MAX],
    );
    expect(await refusalOf(set('KEY'))).toMatchObject({ code: 'limit.exceeded' });
    expect(await set('N1')).toMatchObject({ version: 2 });
  });
});

it('no request asks for the value of a secret', () => {
  expect(
    Object.keys(KERNEL_REQUESTS)
      .filter((verb) => verb.startsWith('secret.'))
      .sort(),
  ).toEqual(['secret.list', 'secret.read', 'secret.remove', 'secret.set']);
});
