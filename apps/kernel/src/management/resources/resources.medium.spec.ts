// SPDX-License-Identifier: Apache-2.0
import type { RegisteredKind, ResourceView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { contentDigest } from '../../evidence/changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, pagesOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
});

const SEARXNG = { kind: 'searxng', url: 'https://searx.example.org' };
const admin = () => callerOf(tenant.tenantId);
const create = (name: string, kind: RegisteredKind = 'search_engine', settings: object = SEARXNG, caller = admin()) =>
  manage.resources.create({
    ...requestBy(caller),
    kind,
    name,
    settings: settings as Readonly<Record<string, unknown>>,
  });
const update = (one: ResourceView, settings: object, expected_version = one.version) =>
  manage.resources.update({
    ...requestBy(admin()),
    resource_id: one.resource_id,
    settings: settings as Readonly<Record<string, unknown>>,
    expected_version,
  });
const remove = (resource_id: string) => manage.resources.remove({ ...requestBy(admin()), resource_id });
const read = (resource_id: string, caller = admin()) => manage.resources.read({ ...requestBy(caller), resource_id });
const list = async (more: object = {}, caller = admin()) =>
  (
    await manage.resources.list({
      ...requestBy(caller),
      page: { cursor: null, limit: 200 },
      kind: null,
      name: null,
      agent_id: null,
      ...more,
    })
  ).items;

describe('a resource', () => {
  it('is made, read, listed, changed and removed, each change with its record', async () => {
    const made = await create('default');
    const digest = contentDigest({ kind: 'search_engine', name: 'default', settings: SEARXNG });
    expect(made).toMatchObject({ kind: 'search_engine', name: 'default', settings: SEARXNG, digest, version: 1 });
    expect(await read(made.resource_id)).toEqual(made);
    expect(await list({ kind: 'search_engine' })).toEqual([made]);
    expect(await list({ name: 'default' })).toEqual([made]);
    expect(await list({ kind: 'model' })).toEqual([]);
    const after = await update(made, { ...SEARXNG, url: 'https://other.example.org' });
    expect(after).toMatchObject({ resource_id: made.resource_id, version: 2, created_at: made.created_at });
    expect(await read(made.resource_id)).toEqual(after);
    await remove(made.resource_id);
    expect(await refusalOf(read(made.resource_id))).toMatchObject({ code: 'not_found' });
    expect(await list({ kind: 'search_engine' })).toEqual([]);
    expect((await tenant.records()).map(({ change }) => change)).toEqual([
      { verb: 'resource_created', subject: 'search_engine:default', digest },
      { verb: 'resource_updated', subject: 'search_engine:default', digest: after.digest },
      { verb: 'resource_removed', subject: 'search_engine:default', digest: after.digest },
    ]);
  });

  it('is what a call on it is decided on: id, settings and digest', async () => {
    const made = await create('default');
    const found = await kernelSql.resourcesFor(kernel.tenants.pool, {
      tenant: tenant.tenantId,
      agent: tenant.agentId,
      refs: [{ kind: 'search_engine', ref: 'default', right: 'use' }],
    });
    expect(found).toMatchObject([
      { resource_id: made.resource_id, settings: made.settings, digest: made.digest, clearance: 'autopilot' },
    ]);
  });

  it('a name that is taken within its kind is refused as `resource.exists`', async () => {
    const made = await create('default');
    expect(await refusalOf(create('default'))).toMatchObject({ code: 'resource.exists', pointer: '/name' });
    await create('default', 'website', { url: 'https://example.org/' });
    await remove(made.resource_id);
    expect((await create('default')).resource_id).not.toBe(made.resource_id);
  });

  it('is changed by compare-and-swap, and unchanged settings are no change', async () => {
    const made = await create('default');
    expect(await update(made, SEARXNG)).toEqual(made);
    const moved = { ...SEARXNG, url: 'https://b.example.org' };
    await update(made, moved);
    expect(await refusalOf(update(made, SEARXNG))).toMatchObject({
      code: 'conflict',
      pointer: '/expected_version',
      message: 'the resource has the version 2',
    });
    const tries = await Promise.allSettled(
      ['c', 'd', 'e', 'f'].map((host) => update(made, { ...SEARXNG, url: `https://${host}.example.org` }, 2)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is changed by administrators alone', async () => {
    const made = await create('default');
    for (const role of ['operator', 'auditor', 'agent'] as const) {
      const caller = callerOf(tenant.tenantId, role, tenant.agentId);
      expect(await refusalOf(create('x', 'search_engine', SEARXNG, caller))).toMatchObject({ code: 'auth.role' });
      const by = { ...requestBy(caller), resource_id: made.resource_id };
      expect(await refusalOf(manage.resources.remove(by))).toMatchObject({ code: 'auth.role' });
      expect(await refusalOf(manage.resources.update({ ...by, settings: SEARXNG, expected_version: 1 }))).toMatchObject(
        { code: 'auth.role' },
      );
    }
  });

  it('of another tenant gets the answer of one that is missing', async () => {
    const made = await create('default');
    const other = callerOf((await kernel.newTenant()).tenantId);
    const answers = await Promise.all(
      [made.resource_id, newId('resource'), 'banana'].map((id) => refusalOf(read(id, other))),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it('that mirrors what is stored elsewhere is listed, and changed there alone', async () => {
    const [agent] = await list({ kind: 'agent' });
    expect(agent).toMatchObject({ name: tenant.agentId, settings: {} });
    const message = 'a resource of the kind `agent` is managed at `/v1/agents`';
    expect(await refusalOf(remove(agent?.resource_id ?? ''))).toMatchObject({ code: 'conflict', message });
    expect(await refusalOf(update(agent!, {}))).toMatchObject({ code: 'conflict', message });
  });

  it('is listed page by page, newest first', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const pages = await pagesOf(2, (page) =>
      manage.resources.list({ ...requestBy(admin()), page, kind: 'search_engine', name: null, agent_id: null }),
    );
    expect(pages.map((page) => page.map(({ name }) => name))).toEqual([['c', 'b'], ['a']]);
  });
});

describe("an agent's key", () => {
  it('sees what the agent may use, without settings', async () => {
    const mine = callerOf(tenant.tenantId, 'agent', tenant.agentId);
    const engine = await create('default');
    const store = await create('handbook', 'info_store', { backend: { kind: 'local' }, label: 'private_data' });
    const hidden = { settings: null, digest: null, created_by: null };
    const shown = async (): Promise<string[]> =>
      (await list({ agent_id: null }, mine)).filter(({ kind }) => kind !== 'agent').map(({ name }) => name);
    expect(await shown()).toEqual(['default']);
    expect(await list({ agent_id: newId('agent') }, mine)).toEqual([]);
    expect(await read(engine.resource_id, mine)).toEqual({ ...engine, ...hidden });
    expect(await refusalOf(read(store.resource_id, mine))).toEqual(await refusalOf(read(newId('resource'), mine)));
    await manage.resourceGrants.set({
      ...requestBy(admin()),
      grant: {
        kind: 'info_store',
        resource_id: store.resource_id,
        right: 'use',
        agent_id: tenant.agentId,
        clearance: 'escalated',
      },
    });
    expect(await shown()).toEqual(['handbook', 'default']);
    expect((await list({ agent_id: tenant.agentId, kind: 'info_store' })).map(({ name }) => name)).toEqual([
      'handbook',
    ]);
    expect(await list({ agent_id: newId('agent'), kind: 'info_store' })).toEqual([]);
  });
});

describe('the settings of a resource', () => {
  const OPENAI = { kind: 'openai', url: 'https://api.example.org/v1', model: 'm' };

  it('are stored with URLs and hosts in one spelling', async () => {
    const spelled = async (kind: RegisteredKind, settings: object) =>
      (await create(`a${newId('request')}`, kind, settings)).settings;
    expect(await spelled('search_engine', { kind: 'searxng', url: 'https://Searx.Example.org:443/base//' })).toEqual({
      kind: 'searxng',
      url: 'https://searx.example.org/base',
    });
    expect(
      await spelled('info_store', {
        backend: { kind: 'chroma', url: 'https://CHROMA.example.org/', collection: 'c' },
        embedding: { ...OPENAI, url: 'https://API.example.org/v1/', dimensions: 1536 },
        label: 'untrusted_content',
      }),
    ).toMatchObject({
      backend: { url: 'https://chroma.example.org' },
      embedding: { url: 'https://api.example.org/v1' },
    });
    expect(await spelled('calendar', { kind: 'ics', url: 'https://Cal.example.org/a.ics?key=1' })).toEqual({
      kind: 'ics',
      url: 'https://cal.example.org/a.ics?key=1',
    });
    const mailbox = { port: 993, tls: 'implicit', username: 'u', secret: 'MAIL', address: 'u@example.org' };
    expect(await spelled('mailbox', { ...mailbox, host: 'IMAP.example.org' })).toMatchObject({
      host: 'imap.example.org',
    });
  });

  it.each([
    ['search_engine', { kind: 'google', url: 'https://a.example' }, '/settings/kind'],
    ['search_engine', { kind: 'searxng', url: 'https://a.example/?q=1' }, '/settings/url'],
    ['search_engine', { kind: 'searxng', url: 'https://a.example:80/' }, '/settings/url'],
    ['website', { url: 'ftp://a.example/' }, '/settings/url'],
    ['website', { url: 'https://a.example/', more: 1 }, '/settings/more'],
    ['info_store', { backend: { kind: 'pinecone' }, label: 'private_data' }, '/settings/backend/kind'],
    [
      'info_store',
      { backend: { kind: 'chroma', url: 'https://a.example' }, label: 'private_data' },
      '/settings/backend',
    ],
    ['info_store', { backend: { kind: 'local' }, label: 'secret' }, '/settings/label'],
    [
      'info_store',
      { backend: { kind: 'local' }, label: 'private_data', text_config: 'klingon' },
      '/settings/text_config',
    ],
    [
      'info_store',
      { backend: { kind: 'local' }, label: 'private_data', embedding: { kind: 'local', model: 'other' } },
      '/settings/embedding/model',
    ],
    [
      'info_store',
      { backend: { kind: 'chroma', url: 'https://a.example', collection: 'c' }, label: 'private_data' },
      '/settings/embedding',
    ],
    ['model', { task: 'embedding', provider: { ...OPENAI, url: 'nowhere' } }, '/settings/provider/url'],
    ['model', { task: 'embedding', provider: { ...OPENAI, secret: 'lower' } }, '/settings/provider/secret'],
    ['calendar', { kind: 'caldav', url: 'https://a.example/', username: 'u' }, '/settings'],
    ['calendar', { kind: 'caldav', url: 'http://a.example/', username: 'u', secret: 'S' }, '/settings/url'],
    ['calendar', { kind: 'ics', url: 'http://a.example/a.ics', secret: 'S' }, '/settings/url'],
    [
      'model',
      { task: 'embedding', provider: { ...OPENAI, url: 'http://a.example/v1', secret: 'S' } },
      '/settings/provider/url',
    ],
    [
      'mailbox',
      { host: '127.1', port: 993, tls: 'implicit', username: 'u', secret: 'S', address: 'a' },
      '/settings/host',
    ],
    ['audio_device', { retention_seconds: 0, buffer_bytes: 65_536 }, '/settings/retention_seconds'],
  ] as const)('of the kind %s are refused with a pointer: %j', async (kind, settings, pointer) => {
    const refusal = await refusalOf(create('x', kind, settings));
    expect(refusal).toMatchObject({ code: 'request.malformed', pointer });
    expect(refusal.message).toContain(pointer);
    expect(await list({ kind })).toEqual([]);
  });

  it('name a workspace of the tenant', async () => {
    expect(await create('box', 'container', { workspace_id: tenant.workspaceId })).toMatchObject({ version: 1 });
    const other = await kernel.newTenant();
    for (const workspace_id of [other.workspaceId, newId('workspace')])
      expect(await refusalOf(create('other', 'container', { workspace_id }))).toMatchObject({
        code: 'workspace.unknown',
        pointer: '/settings/workspace_id',
      });
  });

  it('are bounded in bytes', async () => {
    const url = `https://a.example/${'a'.repeat(900)}`;
    const settings = { kind: 'caldav', url, username: 'ü'.repeat(256), secret: 'S' };
    expect(await create('fits', 'calendar', settings)).toMatchObject({ version: 1 });
    expect(await refusalOf(create('x', 'website', { url: `https://a.example/${'a'.repeat(2000)}` }))).toMatchObject({
      code: 'request.malformed',
      pointer: '/settings/url',
    });
  });
});

describe('a change of a resource is wholly before or after a decision', () => {
  it.each(['update', 'remove', 'grant'] as const)('%s waits for a decision under way', async (what) => {
    const made = await create('default');
    const grant = {
      kind: 'search_engine',
      resource_id: made.resource_id,
      right: 'use',
      agent_id: null,
      clearance: 'escalated',
    } as const;
    await kernel.admin.query(`BEGIN; SELECT kernel.hold_rules('${tenant.tenantId}')`);
    let isDone = false;
    const changing = {
      update: () => update(made, { ...SEARXNG, url: 'https://b.example.org' }),
      remove: () => remove(made.resource_id),
      grant: () => manage.resourceGrants.set({ ...requestBy(admin()), grant }),
    }
      [what]()
      .then(() => {
        isDone = true;
      });
    try {
      await Promise.race([kernel.untilBlocked(), changing]);
      expect(isDone).toBe(false);
    } finally {
      await kernel.admin.query('COMMIT');
    }
    await changing;
  });
});
