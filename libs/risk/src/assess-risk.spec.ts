// SPDX-License-Identifier: Apache-2.0
import { assessRisk, type RiskInput } from './assess-risk.ts';
import { bundledGrammar } from './bundled-grammar.contract.ts';

const grammar = await bundledGrammar();
const shell = (args: Record<string, unknown>): RiskInput => ({ tool: { tool_id: 'shell.run', category: 'write' }, args, resources: [] });
const NOTHING = { reversibility: 0, blast_radius: 0, ambiguity: 0, policy_sensitivity: 0 };

describe('assessment', () => {
  test('a read is without risk', () => {
    expect(assessRisk({ tool: { tool_id: 'fs.read', category: 'read' }, args: { path: 'a' }, resources: [{ kind: 'fs', access: 'read', path: 'a' }] }, grammar))
      .toEqual({ risk_score: 0, risk_basis: [], contributions: [], dimensions: NOTHING, ceiling: 'none', category: 'read', reasons: [] });
  });

  test('a write through a file tool is judged by its path', () => {
    const write = (path: string) => assessRisk({ tool: { tool_id: 'fs.write', category: 'write' }, args: {}, resources: [{ kind: 'fs', access: 'write', path }] }, grammar);
    expect(write('src/a.ts')).toMatchObject({ risk_score: 0.05, risk_basis: ['category.write'], ceiling: 'none', category: 'write' });
    expect(write('.git/hooks/pre-commit')).toMatchObject({ risk_basis: ['category.write', 'write.git'], ceiling: 'soft_gate' });
  });

  test('every point has a named basis and a dimension, and every basis but the category a reason in words', () => {
    expect(assessRisk(shell({ command: 'rm -rf src && git push --force' }), grammar)).toEqual({
      risk_score: 0.886,
      risk_basis: ['category.write', 'delete.tree', 'loss.shared_history'],
      contributions: [
        { rule: 'category.write', dimension: 'policy_sensitivity', points: 50 },
        { rule: 'delete.tree', dimension: 'reversibility', points: 500 },
        { rule: 'delete.tree', dimension: 'blast_radius', points: 200 },
        { rule: 'loss.shared_history', dimension: 'reversibility', points: 500 },
        { rule: 'loss.shared_history', dimension: 'blast_radius', points: 400 },
      ],
      dimensions: { reversibility: 0.75, blast_radius: 0.52, ambiguity: 0, policy_sensitivity: 0.05 },
      ceiling: 'soft_gate',
      category: 'admin',
      reasons: [
        { code: 'delete.tree', message: '`rm` would delete `src` and all that is in it' },
        { code: 'loss.shared_history', message: '`git push --force` would rewrite or drop history that others share: `git push --force`' },
      ],
    });
  });

  test('the directory and the input of the command count', () => {
    expect(assessRisk(shell({ command: 'rm -rf *', cwd: 'build' }), grammar).ceiling).toBe('none');
    expect(assessRisk(shell({ command: 'rm -rf *' }), grammar).ceiling).toBe('no_go');
    expect(assessRisk(shell({ command: 'bash', stdin: 'rm -rf /' }), grammar).ceiling).toBe('no_go');
    expect(assessRisk(shell({ command: 'cat', stdin: 'rm -rf /' }), grammar).ceiling).toBe('none');
  });

  test.each([
    ['read', ['ls -la', 'git status && git log | head', 'cat a | grep b | sort', 'find . -name x', 'kubectl get pods', 'npm --version', 'curl -s https://example.com | jq .', 'for f in *; do wc -l "$f"; done', 'ls 2>/dev/null', 'rm --help']],
    ['write', ['npm test', 'echo a > b', 'git commit -m x', 'rm -rf src', 'git reset --hard', 'sed -i s/a/b/ c', 'sort a -o b', 'bash build.sh', './run', 'curl -d x https://example.com', 'find . -name x -delete', 'ls | tee b']],
    ['admin', ['rm -rf /', 'sudo ls', 'git push --force', 'psql -c "drop table x"', 'terraform destroy', 'eval "$X"', 'cat ~/.ssh/id_rsa', 'npm publish']],
  ])('a command is found to be %s', (category, commands) => {
    expect(commands.map((command) => [command, assessRisk(shell({ command }), grammar).category])).toEqual(commands.map((command) => [command, category]));
  });

  test('facts that are not given count as none, and those that are as they are given', () => {
    const risk = (history?: Parameters<typeof assessRisk>[2]) => assessRisk(shell({ command: 'rm a.ts' }), grammar, history);
    expect(risk({})).toEqual(risk());
    expect(risk({ destructive_calls: 2, failures_in_a_row: 4, labels: ['private_data'] })).toEqual(risk());
    expect(risk({ destructive_calls: 3 })).toMatchObject({ ceiling: 'soft_gate', risk_basis: ['category.write', 'history.destructive_series', 'delete.file'] });
  });

  test('a reason shows no control characters and is short', () => {
    const [reason] = assessRisk(shell({ command: `rm -rf $'src\\x1b[2J'${'x'.repeat(500)}` }), grammar).reasons;
    expect(reason?.message).not.toMatch(/[\x00-\x1f]/);
    expect(reason?.message.length).toBeLessThan(200);
  });

  test('a subject that looks like a replacement pattern is shown as it is', () => {
    expect(assessRisk(shell({ command: "rm -rf '$&src'" }), grammar).reasons[0]?.message).toBe('`rm` would delete `$&src` and all that is in it');
  });
});

describe('what is typed for a program', () => {
  const typed = (input: string) => assessRisk({ tool: { tool_id: 'shell.session', category: 'write' }, args: { input }, resources: [] }, grammar);
  test('counts as a command, in case a shell reads it', () => {
    expect(typed('rm -rf /\n').ceiling).toBe('no_go');
    expect(typed('rm -rf src\n').ceiling).toBe('soft_gate');
  });

  test('that is no bash needs nobody, and may change files as any program may', () => {
    expect(typed('print("it\'s")\n')).toMatchObject({ ceiling: 'none', category: 'write' });
    expect(typed('y\n')).toMatchObject({ ceiling: 'none', category: 'write' });
  });
});
