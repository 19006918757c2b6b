// SPDX-License-Identifier: Apache-2.0
import type { ToolCategory } from '@writ/contract';
import { assessRisk, type RiskInput } from './assess-risk.ts';
import { bundledGrammar } from './bundled-grammar.contract.ts';
import type { RiskHistory } from './history.ts';
import { CEILINGS } from './rules/rule.ts';

const grammar = await bundledGrammar();
const shell = (args: Record<string, unknown>): RiskInput => ({
  tool: { tool_id: 'shell.run', category: 'write' },
  args,
  resources: [],
});
const NOTHING = { reversibility: 0, blast_radius: 0, ambiguity: 0, policy_sensitivity: 0 };

describe('assessment', () => {
  test('a read is without risk', () => {
    expect(
      assessRisk(
        {
          tool: { tool_id: 'fs.read', category: 'read' },
          args: { path: 'a' },
          resources: [{ kind: 'fs', access: 'read', path: 'a' }],
        },
        grammar,
      ),
    ).toEqual({
      risk_score: 0,
      risk_basis: [],
      contributions: [],
      dimensions: NOTHING,
      ceiling: 'none',
      category: 'read',
      reasons: [],
      unread: false,
    });
  });

  test('a write through a file tool is judged by its path', () => {
    const write = (path: string) =>
      assessRisk(
        {
          tool: { tool_id: 'fs.write', category: 'write' },
          args: {},
          resources: [{ kind: 'fs', access: 'write', path }],
        },
        grammar,
      );
    expect(write('src/a.ts')).toMatchObject({
      risk_score: 0.05,
      risk_basis: ['category.write'],
      ceiling: 'none',
      category: 'write',
    });
    expect(write('.git/hooks/pre-commit')).toMatchObject({
      risk_basis: ['category.write', 'write.git'],
      ceiling: 'soft_gate',
    });
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
        {
          code: 'loss.shared_history',
          message: '`git push --force` would rewrite or drop history that others share: `git push --force`',
        },
      ],
      unread: false,
    });
  });

  test('the directory and the input of the command count', () => {
    expect(assessRisk(shell({ command: 'rm -rf *', cwd: 'build' }), grammar).ceiling).toBe('none');
    expect(assessRisk(shell({ command: 'rm -rf *' }), grammar).ceiling).toBe('no_go');
    expect(assessRisk(shell({ command: 'bash', stdin: 'rm -rf /' }), grammar).ceiling).toBe('no_go');
    expect(assessRisk(shell({ command: 'cat', stdin: 'rm -rf /' }), grammar).ceiling).toBe('none');
  });

  test.each([
    [
      'read',
      [
        'ls -la',
        'git status && git log | head',
        'cat a | grep b | sort',
        'find . -name x',
        'kubectl get pods',
        'npm --version',
        'curl -s https://example.com | jq .',
        'for f in *; do wc -l "$f"; done',
        'ls 2>/dev/null',
        'rm --help',
      ],
    ],
    [
      'write',
      [
        'npm test',
        'echo a > b',
        'git commit -m x',
        'rm -rf src',
        'git reset --hard',
        'sed -i s/a/b/ c',
        'sort a -o b',
        'bash build.sh',
        './run',
        'curl -d x https://example.com',
        'find . -name x -delete',
        'ls | tee b',
      ],
    ],
    [
      'admin',
      [
        'rm -rf /',
        'sudo ls',
        'git push --force',
        'psql -c "drop table x"',
        'terraform destroy',
        'eval "$X"',
        'cat ~/.ssh/id_rsa',
        'npm publish',
      ],
    ],
  ])('a command is found to be %s', (category, commands) => {
    expect(commands.map((command) => [command, assessRisk(shell({ command }), grammar).category])).toEqual(
      commands.map((command) => [command, category]),
    );
  });

  test('facts that are not given count as none, and those that are as they are given', () => {
    const risk = (history?: Parameters<typeof assessRisk>[2]) =>
      assessRisk(shell({ command: 'rm a.ts' }), grammar, history);
    expect(risk({})).toEqual(risk());
    expect(risk({ destructive_calls: 2, failures_in_a_row: 4, labels: ['private_data'] })).toEqual(risk());
    expect(risk({ destructive_calls: 3 })).toMatchObject({
      ceiling: 'soft_gate',
      risk_basis: ['category.write', 'history.destructive_series', 'delete.file'],
    });
  });

  test('a reason shows no control characters and is short', () => {
    const [reason] = assessRisk(shell({ command: `rm -rf $'src\\x1b[2J'${'x'.repeat(500)}` }), grammar).reasons;
    expect(reason?.message).not.toMatch(/[\x00-\x1f]/);
    expect(reason?.message.length).toBeLessThan(200);
  });

  test('a subject that looks like a replacement pattern is shown as it is', () => {
    expect(assessRisk(shell({ command: "rm -rf '$&src'" }), grammar).reasons[0]?.message).toBe(
      '`rm` would delete `$&src` and all that is in it',
    );
  });
});

describe('input typed for a program', () => {
  const typed = (input: string) =>
    assessRisk({ tool: { tool_id: 'shell.session', category: 'write' }, args: { input }, resources: [] }, grammar);
  test('counts as a command, in case a shell reads it', () => {
    expect(typed('rm -rf /\n').ceiling).toBe('no_go');
    expect(typed('rm -rf src\n').ceiling).toBe('soft_gate');
  });

  test('that is a secret alone answers a prompt; beside other words it is unknown', () => {
    expect(typed('${secret:PASSWORD}\n')).toMatchObject({ ceiling: 'none', category: 'write' });
    expect(typed('y\n  ${secret:PASSWORD}')).toMatchObject({ ceiling: 'none', category: 'write' });
    for (const input of ['${secret:PROGRAM} a\n', '$${secret:A}${secret:B}\n', 'rm -rf ${secret:PATH}\n'])
      expect(typed(input).ceiling).toBe('soft_gate');
    expect(typed('sudo ${secret:PASSWORD}\n').ceiling).toBe('no_go');
  });

  test('that is no bash needs no approval, and may change files like any program', () => {
    expect(typed('print("it\'s")\n')).toMatchObject({ ceiling: 'none', category: 'write' });
    expect(typed('y\n')).toMatchObject({ ceiling: 'none', category: 'write' });
  });
});

describe('a file written by a program that seems only to read', () => {
  const category = (command: string) => assessRisk(shell({ command }), grammar).category;
  test.each([
    'uniq /dev/null src/main.js',
    "sed -n 's/z/b/w src/main.js' README.md",
    "sed 's/a/b/gw out.txt' a",
    'xxd a.bin out.txt',
    'shuf a -o a',
    'sdiff -o c a b',
    'less -o log a',
    'exiftool -all= a.jpg',
    'markdownlint --fix docs',
    'ruff format .',
    'rubocop -a',
    'pdftotext a.pdf b.txt',
    'tree -o out.txt',
    'git diff --output=a.patch',
    'curl -D headers.txt https://example.com',
    'awk \'{ print > $1 ".txt" }\' a',
    'time -o t.txt ls',
    'yq -s .a b.yaml',
    'cloc --out=x.txt .',
    './ls',
    './bin/cat a',
    'dd if=a of=b',
    'cp a b',
    'openssl x509 -in a -out b',
    'openssl rand -out k 8',
    'aws s3api get-object --bucket b --key k out',
    'gh repo clone list',
  ])('%s writes', (command) => {
    expect(category(command)).toBe('write');
  });

  test.each([
    'uniq a',
    'uniq -c',
    'xxd a',
    'shuf -n 3 a',
    'ruff check .',
    'ruff format --check',
    "sed -n 's/a/b/p' a",
    'less a',
    'exiftool a.jpg',
    '/bin/ls',
    '/usr/bin/git log',
    "awk '$1 > 3 { print $2 }' a",
  ])('%s only reads', (command) => {
    expect(category(command)).toBe('read');
  });

  test('copying with `dd` is judged like copying with `cp`', () => {
    for (const [from, to] of [
      ['a', 'b'],
      ['a', '/etc/x'],
      ['a', '../b'],
      ['/tmp/a', 'src/b'],
      ['a', '.git/config'],
    ]) {
      const [one, two] = [`dd if=${from} of=${to}`, `cp ${from} ${to}`].map((command) =>
        assessRisk(shell({ command }), grammar),
      );
      expect([to, one?.ceiling, one?.category, one?.risk_score, one?.risk_basis]).toEqual([
        to,
        two?.ceiling,
        two?.category,
        two?.risk_score,
        two?.risk_basis,
      ]);
    }
  });
});

describe('a command that is too long to be read', () => {
  const SMALL = { nodes: 40, parserReports: 10, reads: 10, steps: 60 };

  test('needs a person, keeps what was found until then, and says that it is unread', () => {
    const risk = assessRisk(
      shell({ command: `rm -rf src; ${'echo a; '.repeat(400)}` }),
      grammar,
      {},
      { ...SMALL, nodes: 8_000, parserReports: 900, reads: 900, steps: 400 },
    );
    expect(risk).toMatchObject({ unread: true, ceiling: 'soft_gate', category: 'admin' });
    expect(risk.risk_basis).toEqual(expect.arrayContaining(['delete.tree', 'shell.unread']));
  });

  test.each(['nodes', 'parserReports', 'reads', 'steps'] as const)(
    'whichever part of the budget ends it: %s',
    (part) => {
      const command = 'echo a; '.repeat(600);
      expect(assessRisk(shell({ command }), grammar).unread).toBe(false);
      const risk = assessRisk(
        shell({ command }),
        grammar,
        {},
        { nodes: 1e6, parserReports: 1e6, reads: 1e6, steps: 1e6, [part]: 5 },
      );
      expect(risk).toMatchObject({ unread: true, ceiling: 'soft_gate' });
    },
  );

  test('is read with a budget that is large enough', () => {
    expect(assessRisk(shell({ command: 'ls' }), grammar, {}, SMALL)).toMatchObject({
      unread: false,
      ceiling: 'none',
      category: 'read',
    });
  });

  test('doubles its parameters without end', () => {
    const command = `set -- a b c;${'set -- "$@" "$@";'.repeat(100)}rm "$@"`;
    expect(assessRisk(shell({ command }), grammar).ceiling).toBe('soft_gate');
  });
});

describe('a shell that keeps its variables', () => {
  const kept = (command: string) =>
    assessRisk(
      { tool: { tool_id: 'shell.session', category: 'write', session: true }, args: { command }, resources: [] },
      grammar,
    );

  test('may evaluate what an earlier command set', () => {
    expect(kept('echo $((x))')).toMatchObject({ ceiling: 'soft_gate' });
    expect(kept('[[ -v $x ]]')).toMatchObject({ ceiling: 'soft_gate' });
    expect(kept('echo ${!x}')).toMatchObject({ ceiling: 'soft_gate' });
    expect(kept('echo ${x@P}')).toMatchObject({ ceiling: 'soft_gate' });
  });

  test('may use in arithmetic and show what the same command sets', () => {
    for (const command of [
      'i=1; echo $((i + 1))',
      'echo $x',
      'for ((i=0; i<3; i++)); do echo $i; done',
      '(( n = 5 )); echo $((n))',
      'echo $?',
      'cd src && ls',
    ])
      expect([command, kept(command).ceiling]).toEqual([command, 'none']);
  });
});

describe('a program of a server with hosts', () => {
  const args = { title: 'A leak' };
  const asked = (category: ToolCategory, how: Partial<RiskInput['tool']>, labels: RiskHistory['labels'] = []) =>
    assessRisk({ tool: { tool_id: 'mcp.s.t', category, ...how }, args, resources: [] }, grammar, { labels });
  const OVER_HTTP = { requests: () => [{ method: 'POST', url: 'https://api.example/', purpose: '' }] };
  const AS_PROGRAM = { outlets: [{ domain: 'api.example', methods: ['POST'] }] };
  const HARM = ['read', 'write', 'admin'];

  test.each<[ToolCategory, RiskHistory['labels']]>(
    (['read', 'write', 'admin'] as const).flatMap((category) =>
      [[], ['secret_read'], ['untrusted_content', 'private_data'], ['untrusted_content']].map(
        (labels): [ToolCategory, RiskHistory['labels']] => [category, labels as RiskHistory['labels']],
      ),
    ),
  )('is never judged milder than the same tool over HTTP: %s, after %j', (category, labels) => {
    const [http, program] = [asked(category, OVER_HTTP, labels), asked(category, AS_PROGRAM, labels)];
    expect(program.risk_score).toBeGreaterThanOrEqual(http.risk_score);
    expect(program.risk_basis).toEqual(expect.arrayContaining([...http.risk_basis]));
    expect(CEILINGS.indexOf(program.ceiling)).toBeGreaterThanOrEqual(CEILINGS.indexOf(http.ceiling));
    expect(HARM.indexOf(program.category)).toBeGreaterThanOrEqual(HARM.indexOf(http.category));
    expect(HARM.indexOf(program.category)).toBeGreaterThanOrEqual(HARM.indexOf(category));
  });

  test('speaks to another machine after a secret was read', () => {
    const { risk_basis, reasons, category } = asked('write', AS_PROGRAM, ['secret_read']);
    expect(risk_basis).toContain('history.secret_to_network');
    expect(reasons.map(({ message }) => message).join()).toContain('`api.example`');
    expect(category).toBe('admin');
  });
});
