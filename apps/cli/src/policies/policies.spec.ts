// SPDX-License-Identifier: Apache-2.0
import { folderOf } from '../specs/folder-of.ts';
import { fakeApi, problem, writ } from '../specs/run-cli.ts';

const HASH = '1'.repeat(64);
const VIEW = {
  policy_hash: HASH,
  name: 'ours',
  version: 2,
  description: '',
  enforcement: 'enforce',
  active: false,
  shipped: false,
  created_by: 'key_x',
  created_at: 0,
};
const ACTIVE = {
  policy_hash: HASH,
  name: 'ours',
  version: 2,
  enforcement: 'observe',
  seq: 3,
  activated_by: 'key_x',
  at: 0,
  note: 'why\u001b[31m',
};
const RULES = '@id("all") @reason("everything is permitted") permit (principal, action, resource);\n';
const WRONG = `${RULES}@id("bad") @reason("no") @would_pass("x") forbid (principal, action, resource)\nwhen { context.nothing };\n`;

const files = (document: Record<string, unknown>, cedar?: string): string =>
  folderOf({ 'set.json': document, ...(cedar !== undefined && { 'rules.cedar': cedar }) });

describe('writ policy validate', () => {
  it('needs no server, and prints the hash of the set', async () => {
    const { exit, out } = await writ(['policy', 'validate', 'set.json', '--json'], {
      cwd: files({ v: 1, name: 'ours', cedar: RULES }),
    });
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      valid: true,
      policy_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      problems: [],
    });
  });

  it('reports every problem with its position and its line', async () => {
    const cwd = files({ v: 1, name: 'ours', cedar_file: 'rules.cedar' }, WRONG);
    const { exit, err, out } = await writ(['policy', 'validate', 'set.json'], { cwd });
    expect([exit, out]).toEqual([1, '1 problem\n']);
    expect(err).toContain(`${cwd}/rules.cedar:3:8: `);
    expect(err).toContain('    when { context.nothing };\n           ^\n');
    expect(err).toContain('error policy.invalid');
    const inline = await writ(['policy', 'validate', 'set.json'], {
      cwd: files({ v: 1, name: 'Ours', cedar: RULES, quorum: { soft_gate: 0 } }),
    });
    expect(inline.err).toContain('set.json#/name: ');
    expect(inline.err).toContain('set.json#/quorum/soft_gate: ');
  });
});

describe('writ policy put', () => {
  it('accepts rules on a tool of the tenant, and refuses rules on an unknown tool', async () => {
    const api = await fakeApi(({ method }) => ({
      status: 200,
      body:
        method === 'GET'
          ? { items: [{ tool_id: 'deploy', category: 'admin' }] }
          : { valid: true, problems: [], warnings: [], policy: VIEW },
    }));
    const rule = (tool: string) => `@id("no")\nforbid (principal, action == Action::"${tool}", resource);\n`;
    const put = async (tool: string) =>
      await writ(['policy', 'put', 'set.json'], {
        env: api.env,
        cwd: files({ v: 1, name: 'ours', cedar_file: 'rules.cedar' }, rule(tool)),
      });
    await put('nothing');
    expect(api.requests.map(({ method }) => method)).toEqual(['GET']);
    expect((await put('deploy')).exit).toBe(0);
    expect(api.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST']);
    await api.close();
  });

  it('sends no invalid set, and shows how to activate a valid one', async () => {
    const api = await fakeApi(() => ({ status: 201, body: { valid: true, problems: [], warnings: [], policy: VIEW } }));
    await writ(['policy', 'put', 'set.json'], {
      env: api.env,
      cwd: files({ v: 1, name: 'ours', cedar_file: 'rules.cedar' }, WRONG),
    });
    expect(api.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    const { exit, out } = await writ(['policy', 'put', 'set.json'], {
      env: api.env,
      cwd: files({ v: 1, name: 'ours', cedar_file: 'rules.cedar' }, RULES),
    });
    expect([exit, JSON.parse(api.requests.at(-1)?.body ?? '')]).toEqual([
      0,
      { document: { v: 1, name: 'ours', cedar: RULES } },
    ]);
    expect(out).toContain('writ policy activate ours@2');
    await api.close();
  });
});

describe('writ policy', () => {
  it('activates and rolls back with a condition and a note, and marks observe mode', async () => {
    const api = await fakeApi(() => ({ body: ACTIVE }));
    const { out } = await writ(['policy', 'activate', 'ours@2', '--if-active', 'default', '--note', 'try'], {
      env: api.env,
    });
    await writ(['policy', 'rollback', '--if-active', HASH], { env: api.env });
    expect(api.requests.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
      ['POST', '/v1/policies/activate', { policy: 'ours@2', if_active: 'default', note: 'try' }],
      ['POST', '/v1/policies/rollback', { if_active: HASH }],
    ]);
    expect(out).toContain('decisions are recorded, and calls run');
    expect(out).not.toContain('\u001b[31m');
    await api.close();
  });

  it('warns of rules that can never apply, and activates them only with --allow-impossible', async () => {
    const rules = '@id("none") forbid (principal, action == Action::"write", resource);';
    const cwd = files({ v: 1, name: 'ours', cedar: rules });
    const offline = await writ(['policy', 'validate', 'set.json'], { cwd });
    expect([offline.exit, offline.err]).toEqual([0, expect.stringContaining('warning: ')]);
    expect(offline.err).toContain('the rule `none` can never apply');
    const warning = {
      pointer: '/cedar',
      line: 1,
      column: 1,
      message: 'the rule `none` can never apply',
      help: 'correct it',
    };
    const api = await fakeApi(({ url }) =>
      url === '/v1/policies'
        ? { status: 201, body: { valid: true, problems: [], warnings: [warning], policy: VIEW } }
        : { body: ACTIVE },
    );
    expect((await writ(['policy', 'put', 'set.json'], { cwd, env: api.env })).err).toContain('warning: ');
    await writ(['policy', 'activate', 'ours', '--allow-impossible'], { env: api.env });
    expect(JSON.parse(api.requests.at(-1)?.body ?? '')).toEqual({ policy: 'ours', allow_impossible: true });
    await api.close();
  });

  it('lists, shows and compares sets, and prints the history', async () => {
    const api = await fakeApi(({ url }) => ({
      body: url.startsWith('/v1/policies/diff')
        ? {
            from: { ...VIEW, name: 'default', version: null },
            to: VIEW,
            rules: [{ id: 'a', change: 'changed', before: 'permit x', after: 'permit y' }],
            history: [],
            settings: [{ pointer: '/quorum/escalated', before: 1, after: 2 }],
          }
        : url.startsWith('/v1/policies/activations')
          ? { items: [ACTIVE], next_cursor: null }
          : url.startsWith('/v1/policies/active')
            ? { ...VIEW, document: { v: 1, cedar: RULES } }
            : url.startsWith('/v1/policies/schema')
              ? { version: 2, cedar: 'entity Agent;', document: {} }
              : url.startsWith('/v1/policies/templates')
                ? { items: [{ id: 'protect_paths', description: 'Paths', parameters: {} }] }
                : {
                    active: ACTIVE,
                    shipped: [
                      {
                        ...VIEW,
                        name: 'strict',
                        version: null,
                        shipped: true,
                        created_at: null,
                        policy_hash: '2'.repeat(64),
                      },
                    ],
                    items: [{ ...VIEW, active: true }],
                    next_cursor: null,
                  },
    }));
    const said = async (...args: string[]) => (await writ(['policy', ...args], { env: api.env })).out;
    expect(await said('list')).toMatch(/in force {2}ours@2[\s\S]*strict/);
    expect(await said('show')).toContain('everything is permitted');
    const diff = await said('diff', 'ours');
    expect(diff).toContain('/quorum/escalated: 1 → 2');
    expect(diff).toContain('- permit x\n+ permit y');
    expect(await said('history')).toContain('observe');
    expect(await said('schema')).toContain('entity Agent;');
    expect(await said('templates')).toContain('protect_paths');
    await api.close();
  });

  it('reports a refusal by the API', async () => {
    const api = await fakeApi(() => problem(409, 'conflict', 'another policy set is in force'));
    const { exit, err } = await writ(['policy', 'activate', 'ours', '--if-active', 'default'], { env: api.env });
    expect([exit, err]).toEqual([1, expect.stringContaining('error conflict: another policy set is in force')]);
    await api.close();
  });
});
