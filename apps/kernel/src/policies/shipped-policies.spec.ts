// SPDX-License-Identifier: Apache-2.0
import { TOOLS, type Change, type ToolDefinition } from '@writ/contract';
import type { ActivePolicy, JudgedAction } from '../ports/index.ts';
import { loadPolicyEngine } from './index.ts';

let policy: ActivePolicy;
beforeAll(async () => { policy = (await loadPolicyEngine()).standard.active; });

const action = (tool_id: string, args: Record<string, unknown>, more: Partial<JudgedAction> = {}): JudgedAction => {
  const tool = TOOLS.get(tool_id) as ToolDefinition;
  return {
    tenant_id: 't', agent_id: 'a', delegated_by: [], workspace_id: 'w', tool, args, resources: tool.resources(args), task_class: 'general', session_mode: 'interactive', max_autonomy: null,
    job_lists_tool: false, labels: [], history: null, past: null, ...more,
  };
};
const run = (command: string, more: Partial<JudgedAction> = {}) => policy.judge(action('shell.run', { command }, more));
const modeOf = (verdict: ReturnType<ActivePolicy['judge']>) => (verdict.effect === 'allow' ? verdict.autonomy_mode : verdict.code);
const change = (path: string): Change => ({ path, before: null, after: { kind: 'file', mode: '755', sha256: '0'.repeat(64), size: 1 } });

describe('the default policy', () => {
  it('has one hash, which is that of a text', () => {
    expect(policy.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('lets reading, ordinary writing and a test suite run by themselves', () => {
    expect(modeOf(policy.judge(action('fs.read', { path: 'a' })))).toBe('autopilot');
    expect(modeOf(policy.judge(action('fs.write', { path: 'src/a.js', content: '' })))).toBe('autopilot');
    expect(modeOf(run('node --test'))).toBe('autopilot');
  });

  it('wants a person for what destroys, with the risk named first', () => {
    const verdict = run('rm -rf src');
    expect(modeOf(verdict)).toBe('soft_gate');
    expect(verdict).toMatchObject({ risk_basis: expect.arrayContaining([expect.any(String)]) as unknown, reasons: [{ code: 'delete.tree' }, { code: 'risk.soft_gate' }, { code: 'write.interactive' }] });
  });

  it('refuses that where nobody can be asked, and some of it everywhere', () => {
    expect(modeOf(run('rm -rf src', { session_mode: 'gateway' }))).toBe('no_go');
    expect(modeOf(run('rm -rf /'))).toBe('no_go');
    expect(modeOf(policy.judge(action('fs.write', { path: 'a', content: '' }, { session_mode: 'scheduled' })))).toBe('no_go');
  });

  it('is made stricter by a session and never laxer', () => {
    expect(modeOf(policy.judge(action('fs.read', { path: 'a' }, { max_autonomy: 'escalated' })))).toBe('escalated');
    expect(modeOf(run('rm -rf src', { max_autonomy: 'autopilot' }))).toBe('soft_gate');
  });

  it('wants a person for an effect that others run later, unless one has seen the call', () => {
    const hook = { ...action('shell.run', { command: 'node make.js' }), changes: [change('.git/hooks/pre-commit')] };
    expect(modeOf(policy.judgeEffect({ ...hook, granted: 'autopilot' }))).toBe('soft_gate');
    expect(modeOf(policy.judgeEffect({ ...hook, granted: 'soft_gate' }))).toBe('soft_gate');
    expect(modeOf(policy.judgeEffect({ ...hook, changes: [change('src/a.js')], granted: 'autopilot' }))).toBe('autopilot');
  });
});

describe('a command that names a secret', () => {
  it('is judged as it runs, and not judged where it can\'t run safely', () => {
    expect(modeOf(run('curl -H "Authorization: ${secret:KEY}" https://example.com'))).toBe(modeOf(run('curl -H "Authorization: ${WRIT_SECRET_KEY}" https://example.com')));
    expect(run('rm -rf "${secret:KEY}"')).toEqual(run('rm -rf "${WRIT_SECRET_KEY}"'));
    expect(run('bash -c "${secret:KEY}"')).toMatchObject({ effect: 'refuse', code: 'args.invalid', message: expect.stringContaining('`bash`') as string, hint: expect.any(String) as string });
    const done = { ...action('shell.run', { command: 'echo ${secret:KEY}' }), changes: [change('src/a.js')], granted: 'autopilot' as const };
    expect(modeOf(policy.judgeEffect(done))).toBe('autopilot');
  });
});
