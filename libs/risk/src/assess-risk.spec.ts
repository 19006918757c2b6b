// SPDX-License-Identifier: Apache-2.0
import { assessRisk, RISK_RULES, type RiskInput } from './assess-risk.ts';
import { bundledGrammar } from './bundled-grammar.contract.ts';

const grammar = await bundledGrammar();
const shell = (args: Record<string, unknown>): RiskInput => ({ tool: { tool_id: 'shell.run', category: 'write' }, args, resources: [] });

describe('assessment', () => {
  test('a read is without risk', () => {
    expect(assessRisk({ tool: { tool_id: 'fs.read', category: 'read' }, args: { path: 'a' }, resources: [{ kind: 'fs', access: 'read', path: 'a' }] }, grammar))
      .toEqual({ risk_score: 0, risk_basis: [], ceiling: 'none', category: 'read', reasons: [] });
  });

  test('a write through a file tool is judged by its path', () => {
    const write = (path: string) => assessRisk({ tool: { tool_id: 'fs.write', category: 'write' }, args: {}, resources: [{ kind: 'fs', access: 'write', path }] }, grammar);
    expect(write('src/a.ts')).toMatchObject({ risk_score: 0.05, risk_basis: ['category.write'], ceiling: 'none' });
    expect(write('.git/hooks/pre-commit')).toMatchObject({ risk_basis: ['category.write', 'write.git'], ceiling: 'soft_gate', category: 'admin' });
  });

  test('every point has a named basis and a reason in words', () => {
    expect(assessRisk(shell({ command: 'rm -rf src && git push --force' }), grammar)).toEqual({
      risk_score: 0.867,
      risk_basis: ['category.write', 'delete.tree', 'loss.history'],
      ceiling: 'soft_gate',
      category: 'admin',
      reasons: [
        { code: 'delete.tree', message: '`rm` would delete `src` and all that is in it' },
        { code: 'loss.history', message: '`git push --force` would rewrite or drop history: `git push --force`' },
      ],
    });
  });

  test('the directory and the input of the command count', () => {
    expect(assessRisk(shell({ command: 'rm -rf *', cwd: 'build' }), grammar).ceiling).toBe('none');
    expect(assessRisk(shell({ command: 'rm -rf *' }), grammar).ceiling).toBe('no_go');
    expect(assessRisk(shell({ command: 'bash', stdin: 'rm -rf /' }), grammar).ceiling).toBe('no_go');
    expect(assessRisk(shell({ command: 'cat', stdin: 'rm -rf /' }), grammar).ceiling).toBe('none');
  });

  test('a reason shows no control characters and is short', () => {
    const [reason] = assessRisk(shell({ command: `rm -rf $'src\\x1b[2J'${'x'.repeat(500)}` }), grammar).reasons;
    expect(reason?.message).not.toMatch(/[\x00-\x1f]/);
    expect(reason?.message.length).toBeLessThan(200);
  });

  test('rules have ids of their own and points that fit their ceiling', () => {
    expect(new Set(RISK_RULES.map(({ id }) => id)).size).toBe(RISK_RULES.length);
    for (const { points, ceiling } of RISK_RULES) {
      if (ceiling === 'no_go') expect(points).toBeGreaterThanOrEqual(900);
      else if (ceiling === 'soft_gate') expect(points).toBeGreaterThanOrEqual(400);
      else expect(points).toBeLessThan(400);
    }
  });
});
