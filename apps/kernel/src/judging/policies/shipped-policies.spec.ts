// SPDX-License-Identifier: Apache-2.0
import type { EffectExamination, EffectFinding } from '@writ/effect';
import { TOOLS, type Change, type ToolDefinition } from '@writ/contract';
import { compilePolicySet, DEFAULT_POLICY } from '@writ/policy';
import type { ActivePolicy, JudgedAction, JudgedEffect } from './policy-sets.ts';
import { InlineTaskRunner } from '@writ/worker-pool';
import { kernelTasks } from '../../kernel.worker.ts';
import { loadPolicyEngine } from './index.ts';

let policy: ActivePolicy;
beforeAll(async () => {
  policy = (await loadPolicyEngine(new InlineTaskRunner(kernelTasks))).standard.active;
});

const action = (tool_id: string, args: Record<string, unknown>, more: Partial<JudgedAction> = {}): JudgedAction => {
  const tool = TOOLS.get(tool_id) as ToolDefinition;
  return {
    tenant_id: 't',
    agent_id: 'a',
    delegated_by: [],
    workspace_id: 'w',
    tool,
    args,
    resources: tool.resources(args),
    task_class: 'general',
    session_mode: 'interactive',
    max_autonomy: null,
    job_lists_tool: false,
    labels: [],
    history: null,
    past: null,
    ...more,
  };
};
const run = (command: string, more: Partial<JudgedAction> = {}) => policy.judge(action('shell.run', { command }, more));
const modeOf = async (judging: ReturnType<ActivePolicy['judge']>) => {
  const verdict = await judging;
  return verdict.effect === 'allow' ? verdict.autonomy_mode : verdict.code;
};
const change = (path: string): Change => ({
  path,
  before: null,
  after: { kind: 'file', mode: '755', sha256: '0'.repeat(64), size: 1 },
});

const NOTHING: EffectExamination = { findings: [], lost: 0, readWrote: null };
const WROTE: EffectFinding = { rule: 'effect.read_wrote', mode: 'soft_gate', size: 1, message: 'changes 1 file' };

describe('the default policy', () => {
  it('has one hash, which is that of its text', () => {
    expect(policy.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('lets reading, ordinary writing and a test suite run without a person', async () => {
    expect(await modeOf(policy.judge(action('fs.read', { path: 'a' })))).toBe('autopilot');
    expect(await modeOf(policy.judge(action('fs.write', { path: 'src/a.js', content: '' })))).toBe('autopilot');
    expect(await modeOf(run('node --test'))).toBe('autopilot');
  });

  it('requires a person for a destructive call, with the risk named first', async () => {
    const verdict = run('rm -rf src');
    expect(await modeOf(verdict)).toBe('soft_gate');
    expect(await verdict).toMatchObject({
      risk_basis: expect.arrayContaining([expect.any(String)]) as unknown,
      reasons: [{ code: 'delete.tree' }, { code: 'risk.soft_gate' }, { code: 'write.interactive' }],
    });
  });

  it('refuses such a call where no person can be asked, and some of them everywhere', async () => {
    expect(await modeOf(run('rm -rf src', { session_mode: 'gateway' }))).toBe('no_go');
    expect(await modeOf(run('rm -rf /'))).toBe('no_go');
    expect(
      await modeOf(policy.judge(action('fs.write', { path: 'a', content: '' }, { session_mode: 'scheduled' }))),
    ).toBe('no_go');
  });

  it('is made stricter by a session and never more permissive', async () => {
    expect(await modeOf(policy.judge(action('fs.read', { path: 'a' }, { max_autonomy: 'escalated' })))).toBe(
      'escalated',
    );
    expect(await modeOf(run('rm -rf src', { max_autonomy: 'autopilot' }))).toBe('soft_gate');
  });

  const done = (over: Partial<JudgedEffect> = {}, command = 'node make.js') =>
    policy.judgeEffect({
      ...action('shell.run', { command }),
      changes: [change('src/a.js')],
      granted: 'autopilot',
      examined: NOTHING,
      isApproved: false,
      permitted: [],
      ...over,
    });
  const found = (mode: EffectFinding['mode']): EffectExamination => ({
    ...NOTHING,
    findings: [{ rule: 'effect.lost_many', mode, size: 3, message: 'deletes 3 of 4 files' }],
  });

  it('requires a person for an effect with a finding, who approves this very effect', async () => {
    expect(await done({ examined: found('soft_gate') })).toMatchObject({
      autonomy_mode: 'soft_gate',
      requiresNewApproval: true,
    });
    expect(await done({ examined: found('soft_gate'), granted: 'soft_gate' })).toMatchObject({
      autonomy_mode: 'soft_gate',
      requiresNewApproval: true,
    });
    expect(await done({ examined: found('soft_gate'), granted: 'soft_gate', isApproved: true })).toMatchObject({
      autonomy_mode: 'soft_gate',
      requiresNewApproval: false,
    });
    expect(await done({ examined: found('soft_gate'), session_mode: 'gateway' })).toMatchObject({
      autonomy_mode: 'no_go',
    });
    expect(await done()).toMatchObject({ autonomy_mode: 'autopilot', requiresNewApproval: false });
  });

  it('records a finding that is only observed, or that the tokens permit; what the policy refuses stays refused', async () => {
    for (const effect of [
      await done({ examined: found('observe') }),
      await done({ examined: found('soft_gate'), permitted: ['effect.lost_many'] }),
    ]) {
      expect(effect).toMatchObject({
        autonomy_mode: 'autopilot',
        requiresNewApproval: false,
        rule_ids: expect.arrayContaining(['effect.lost_many']) as unknown,
      });
    }
    expect(await done({ examined: found('no_go'), permitted: ['effect.lost_many'] })).toMatchObject({
      autonomy_mode: 'no_go',
    });
  });

  it('requires a person where a command that was judged as changing nothing changed files', async () => {
    expect(await done({ examined: { ...NOTHING, readWrote: WROTE } }, 'cat a.txt')).toMatchObject({
      autonomy_mode: 'soft_gate',
      rule_ids: expect.arrayContaining(['effect.read_wrote']) as unknown,
    });
    expect(await done({ examined: { ...NOTHING, readWrote: WROTE } })).toMatchObject({ autonomy_mode: 'autopilot' });
  });
});

describe('the effect of what runs in a container', () => {
  const done = (tool_id: string, path: string): JudgedEffect => ({
    ...action(tool_id, { command: 'node make.js', script: {} }),
    resources: [{ kind: 'fs', access: 'write', path }],
    changes: [change(path)],
    granted: 'autopilot',
    examined: NOTHING,
    isApproved: false,
    permitted: [],
  });

  it.each(['shell.run', 'mk8.run'])("has no risk for the repository's own data that %s changed", async (tool_id) => {
    expect(await policy.judgeEffect(done(tool_id, '.git/HEAD'))).toMatchObject({
      autonomy_mode: 'autopilot',
      risk_basis: expect.not.arrayContaining(['write.git']) as unknown,
    });
  });

  it.each(['shell.run', 'mk8.run'])(
    'is judged by the rules of the policy on the paths that %s changed',
    async (tool) => {
      const engine = await loadPolicyEngine(new InlineTaskRunner(kernelTasks));
      const forbidding = engine.ready(
        compilePolicySet({
          ...DEFAULT_POLICY,
          cedar: `${DEFAULT_POLICY.cedar}
@id("no_secrets") @reason("nobody writes there")
forbid (principal, action, resource is File)
when { resource.path like "secret/*" && resource.access == "write" };`,
        }),
      );
      expect(await modeOf(forbidding.active.judgeEffect(done(tool, 'secret/a.txt')))).toBe('no_go');
      expect(await modeOf(forbidding.active.judgeEffect(done(tool, 'public/a.txt')))).toBe('autopilot');
    },
  );
});

describe('a command that names a secret', () => {
  it("is judged as it runs, and refused where it can't run safely", async () => {
    expect(await modeOf(run('curl -H "Authorization: ${secret:KEY}" https://example.com'))).toBe(
      await modeOf(run('curl -H "Authorization: ${WRIT_SECRET_KEY}" https://example.com')),
    );
    expect(await run('rm -rf "${secret:KEY}"')).toEqual(await run('rm -rf "${WRIT_SECRET_KEY}"'));
    expect(await run('bash -c "${secret:KEY}"')).toMatchObject({
      effect: 'refuse',
      code: 'args.invalid',
      message: expect.stringContaining('`bash`') as string,
      hint: expect.any(String) as string,
    });
    const done = {
      ...action('shell.run', { command: 'echo ${secret:KEY}' }),
      changes: [change('src/a.js')],
      granted: 'autopilot' as const,
      examined: NOTHING,
      isApproved: false,
      permitted: [],
    };
    expect(await modeOf(policy.judgeEffect(done))).toBe('autopilot');
  });
});
