// SPDX-License-Identifier: Apache-2.0
// The management of skills, and the calls that read them.
import { pgBlobs } from '@writ/blobs-pg';
import { LIMITS, type ProposedCall, type SkillPutReply } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, callerOf, pagesOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { grantResource } from '../../specs/test-resources.ts';
import { hashOf, type TestTenant } from '../../specs/test-tenant.ts';
import { Skills } from './skills.ts';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let skills: Skills;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
  skills = new Skills(manage.tenancy, manage.changes, pgBlobs(kernel.tenants.pool));
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  kernel.policy.answer = () => AUTOPILOT;
});

type Folder = Readonly<Record<string, string | Uint8Array>>;
const skillMd = (name: string, text = 'do it\n'): string =>
  `---\nname: ${name}\ndescription: how to ${name}\n---\n${text}`;
const folder = (name = 'release', text?: string): Folder => ({
  'SKILL.md': skillMd(name, text),
  'scripts/run.sh': 'make\n',
});
const admin = (of = tenant) => callerOf(of.tenantId);
async function put(sent: Folder, caller = admin()): Promise<SkillPutReply> {
  const refs = await pgBlobs(kernel.tenants.pool).putMany(
    caller.tenant_id,
    Object.values(sent).map((content) => Buffer.from(content)),
  );
  return await skills.put({
    ...requestBy(caller),
    files: Object.keys(sent).map((path, n) => ({ path, ref: refs[n] ?? { sha256: '', size: 0 } })),
  });
}
const read = (name = 'release', caller = admin()) => skills.read({ ...requestBy(caller), name });
const remove = (name = 'release', caller = admin()) => skills.remove({ ...requestBy(caller), name });
const list = (limit = 200, caller = admin()) => pagesOf(limit, (page) => skills.list({ ...requestBy(caller), page }));
const changes = async (): Promise<unknown[]> =>
  (await tenant.records())
    .filter(({ kind }) => kind === 'change')
    .map(({ change }) => [change?.verb, change?.subject, change?.digest]);

describe('a skill', () => {
  it('is its newest version; the same contents are the same version, and each change has its record', async () => {
    const first = await put(folder());
    expect(first).toMatchObject({
      valid: true,
      change: 'added',
      skill: { name: 'release', description: 'how to release', files: 2 },
    });
    expect(await put(Object.fromEntries(Object.entries(folder()).toReversed()))).toEqual({
      ...first,
      change: 'unchanged',
    });
    const second = await put(folder('release', 'otherwise\n'));
    expect(second.change).toBe('changed');
    expect((await read()).versions.map(({ digest }) => digest)).toEqual([second.skill?.digest, first.skill?.digest]);
    expect(await put(folder())).toMatchObject({ change: 'changed', skill: { digest: first.skill?.digest } });
    expect((await read()).versions.map(({ digest }) => digest)).toEqual([first.skill?.digest, second.skill?.digest]);
    expect((await read()).files).toEqual([
      { path: 'SKILL.md', sha256: hashOf(skillMd('release')), size: skillMd('release').length },
      { path: 'scripts/run.sh', sha256: hashOf('make\n'), size: 5 },
    ]);
    expect(await remove()).toEqual({ removed: 'release' });
    for (const gone of [() => read(), () => remove()])
      expect(await refusalOf(gone())).toMatchObject({ code: 'not_found' });
    expect(await changes()).toEqual([
      ['skill_stored', 'release', first.skill?.digest],
      ['skill_stored', 'release', second.skill?.digest],
      ['skill_stored', 'release', first.skill?.digest],
      ['skill_removed', 'release', first.skill?.digest],
    ]);
  });

  it('is not stored where its folder has problems: all are returned, and nothing is written', async () => {
    expect(await put({ 'SKILL.md': '# none', '../x': '', 'skill.md': '' })).toMatchObject({
      valid: false,
      change: null,
      skill: null,
      problems: [
        { pointer: '/files/1/path' },
        { pointer: '/files/2/path' },
        { pointer: '/files/0/content', message: expect.stringContaining('SKILL.md:1:1') },
      ],
    });
    expect((await put({ 'README.md': 'x' })).problems).toEqual([
      { pointer: '/files', message: expect.stringContaining('no `SKILL.md`') },
    ]);
    expect((await put({ 'SKILL.md': Buffer.alloc(LIMITS.skillFileBytes.max + 1, 'x') })).valid).toBe(false);
    expect([await list(), await changes()]).toEqual([[[]], []]);
  });

  it('has the lengths of its stored contents, not those of the request; a missing content is a fault', async () => {
    const text = Buffer.from(skillMd('release'));
    const { sha256 } = await pgBlobs(kernel.tenants.pool).put(tenant.tenantId, text);
    const files = [{ path: 'SKILL.md', ref: { sha256, size: 1 } }];
    expect(await skills.put({ ...requestBy(admin()), files })).toMatchObject({ skill: { bytes: text.length } });
    const other = await kernel.newTenant();
    expect(await refusalOf(skills.put({ ...requestBy(admin(other)), files }))).toMatchObject({ code: 'blob.missing' });
  });

  it('belongs to one tenant, and is listed by name page by page', async () => {
    for (const name of ['c', 'a-b', 'b']) await put(folder(name));
    await put(folder('b', 'newer\n'));
    expect((await list(2)).map((page) => page.map(({ name }) => name))).toEqual([['a-b', 'b'], ['c']]);
    const other = await kernel.newTenant();
    expect(await list(200, admin(other))).toEqual([[]]);
    for (const ask of [() => read('b', admin(other)), () => remove('b', admin(other)), () => read('a\0b')])
      expect(await refusalOf(ask())).toMatchObject({ code: 'not_found' });
    expect((await read('b')).versions).toHaveLength(2);
  });

  it('has a maximum of versions, and a tenant a maximum of skills and of their bytes', async () => {
    const digests: unknown[] = [];
    for (let n = 0; n <= LIMITS.skillVersions.max; n++)
      digests.push((await put(folder('release', `${n}\n`))).skill?.digest);
    expect((await read()).versions.map(({ digest }) => digest)).toEqual(digests.slice(1).toReversed());
    expect((await changes()).at(-1)).toEqual(['skill_version_removed', 'release', digests[0]]);
    const fill = (of: TestTenant, count: number, bytes: number) =>
      of.query(
        `INSERT INTO kernel.skill (tenant_id, name, digest, seq, contents, bytes, created_by) SELECT $1, 'n' || n, repeat('0', 64), 1, '{}', $3, '' FROM generate_series(1, $2) n`,
        [of.tenantId, count, bytes],
      );
    await fill(tenant, LIMITS.skills.max - 1, 1);
    expect(await refusalOf(put(folder('more')))).toMatchObject({ code: 'limit.exceeded' });
    expect((await put(folder('release', 'one more of a name that is there\n'))).change).toBe('changed');
    const full = await kernel.newTenant();
    await fill(full, 1, LIMITS.skillsBytes.max - 10);
    expect(await refusalOf(put(folder('more'), admin(full)))).toMatchObject({
      code: 'limit.exceeded',
      message: expect.stringContaining('bytes'),
    });
  });

  it('uploaded concurrently has one version after the other', async () => {
    const answers = await Promise.all(['a', 'b', 'a', 'b'].map((text) => put(folder('release', text))));
    expect(answers.map(({ change }) => change).filter((change) => change === 'added')).toHaveLength(1);
    expect((await read()).versions).toHaveLength(2);
  });

  it.each(['operator', 'agent', 'auditor'] as const)('is not managed by the role %s', async (role) => {
    await put(folder());
    const caller = callerOf(tenant.tenantId, role, tenant.agentId);
    for (const ask of [() => put(folder('x'), caller), () => remove('release', caller)])
      expect(await refusalOf(ask())).toMatchObject({ code: 'auth.role' });
    if (role === 'agent') expect(await refusalOf(read('release', caller))).toMatchObject({ code: 'auth.role' });
    else expect((await read('release', caller)).name).toBe('release');
  });
});

describe('a call that reads a skill', () => {
  const call = (args: Record<string, unknown>, token: string): ProposedCall =>
    tenant.call(token, { tool_id: 'skill.read', args });
  const found = async (args: Record<string, unknown>) =>
    (await run.perform(tenant, call(args, await tenant.token()))).redemption.skill;

  it('are listed for a script that shows them, and for no other one', async () => {
    const script = async (...verbs: string[]) => {
      const args = { script: { operations: verbs.map((verb) => ({ verb, args: [] })) } };
      const proposed = tenant.writeCall(await tenant.token(), { tool_id: 'mk8.run', args });
      return (await run.perform(tenant, proposed)).redemption.skills;
    };
    expect(await script('Mk8Skills')).toBeUndefined();
    await put(folder('secret'), admin(await kernel.newTenant()));
    await put(folder('deploy'));
    await put(folder());
    await put(folder('release', 'newer\n'));
    expect(await script('Mk8Skills')).toEqual([
      { name: 'deploy', description: 'how to deploy' },
      { name: 'release', description: 'how to release' },
    ]);
    expect(await script('Mk8Info')).toHaveLength(2);
    expect(await script('Mk8Verbs')).toBeUndefined();
  });

  it('finds the newest version of the tenant, and the names of all skills', async () => {
    const other = await kernel.newTenant();
    await put(folder('secret'), admin(other));
    await put(folder('deploy'));
    const { skill } = await put(folder());
    expect(await found({ skill: 'release' })).toMatchObject({
      found: {
        digest: skill?.digest,
        manifest: { name: 'release', files: [{ path: 'SKILL.md' }, { path: 'scripts/run.sh' }] },
      },
      names: ['deploy', 'release'],
    });
    const changed = await put(folder('release', 'newer\n'));
    expect(await found({ skill: 'release' })).toMatchObject({ found: { digest: changed.skill?.digest } });
    for (const name of ['secret', 'none'])
      expect(await found({ skill: name })).toEqual({ found: null, names: ['deploy', 'release'] });
    await remove('release');
    expect(await found({ skill: 'release' })).toEqual({ found: null, names: ['deploy'] });
  });

  it('finds the skills alone that its agent is granted, under the clearance of their grant', async () => {
    await put(folder());
    await put(folder('deploy'));
    await tenant.query(`DELETE FROM kernel.resource_grant WHERE tenant_id = $1 AND kind = 'skill'`, [tenant.tenantId]);
    for (const name of ['release', 'none']) expect(await found({ skill: name })).toEqual({ found: null, names: [] });
    const { rows } = await kernel.admin.query<{ resource_id: string }>(
      `SELECT resource_id FROM kernel.resource WHERE tenant_id = $1 AND name = 'deploy'`,
      [tenant.tenantId],
    );
    await grantResource(tenant, 'skill', { resourceId: rows[0]?.resource_id ?? '', agentId: tenant.agentId });
    expect(await found({ skill: 'release' })).toEqual({ found: null, names: ['deploy'] });
    expect(await found({ skill: 'deploy' })).toMatchObject({
      names: ['deploy'],
      found: { digest: expect.any(String) },
    });
    await grantResource(tenant, 'skill', { clearance: 'soft_gate' });
    expect(await kernel.admit.run(call({ skill: 'release' }, await tenant.token()), null)).toMatchObject({
      state: 'held',
    });
  });

  it('finds no version that was changed in the database', async () => {
    await put(folder());
    await tenant.query(
      `UPDATE kernel.skill SET contents = convert_to(replace(convert_from(contents, 'UTF8'), 'how to', 'HOW TO'), 'UTF8') WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    expect(await found({ skill: 'release' })).toEqual({ found: null, names: ['release'] });
  });

  it('is decided like every call: it needs a token, and reports only that there is no skill', async () => {
    const none = call({ skill: 'release' }, await tenant.token({ tools: ['fs.*'] }));
    expect(await kernel.admit.run(none, null)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.tool' } },
    });
    for (const [code, ended] of [
      ['skill.unknown', 'skill.unknown'],
      ['policy.denied', 'effect.invalid'],
    ] as const) {
      const { attempt } = await run.perform(tenant, call({ skill: 'none' }, await tenant.token()));
      await run.commit.run(
        reportOf(attempt, null, {
          ended: 'failed',
          error: { code, message: 'there is none', hint: null },
          result: null,
        }),
      );
      expect((await tenant.row(attempt.operation_id)).fault_code).toBe(ended);
    }
  });
});
