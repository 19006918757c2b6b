// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { assessRisk, type Risk } from './assess-risk.ts';
import { bundledGrammar } from './bundled-grammar.contract.ts';

const grammar = await bundledGrammar();
const assess = (command: string): Risk =>
  assessRisk({ tool: { tool_id: 'shell.run', category: 'write' }, args: { command }, resources: [] }, grammar);
const filled = (unit: string, end = ''): string =>
  `${unit.repeat(Math.floor((65_536 - end.length) / unit.length))}${end}`;

describe('hostile commands are answered', () => {
  test.each([
    ['nested substitutions', filled('$(')],
    ['closed substitutions', `${'$('.repeat(16_000)}a${')'.repeat(16_000)}`],
    ['nested groups', filled('{ ')],
    ['nested subshells', filled('(')],
    ['backquotes', filled('`')],
    ['strings within substitutions', filled('"$(')],
    ['here-documents', filled('<<A ')],
    ['parameter defaults', filled('${a:-')],
    ['arithmetic', filled('$((')],
    ['process substitutions', filled('<(')],
    ['conditions', filled('[[ ( ')],
    ['ifs', filled('if ')],
    ['quotes', filled("'")],
    ['a long pipeline', filled('a|', 'a')],
    ['a long list', filled('a;')],
    ['functions of functions', filled('f(){ ')],
    ['braces', `echo ${filled('{a,b}').slice(0, 60_000)}`],
    ['many words', `rm ${filled('a ').slice(0, 60_000)}`],
    ['nested evals', `${'eval "'.repeat(40)}rm`],
    [
      'a doubling function',
      `a(){ :; }; ${Array.from({ length: 40 }, (_, i) => `f${i}(){ f${i + 1}; f${i + 1}; };`).join('')} f0`,
    ],
    ['loops in loops', `${'for i in 1 2 3; do '.repeat(20)}echo;${' done;'.repeat(20)}`],
    [
      'values of values',
      `${Array.from({ length: 30 }, (_, i) => `test && v${i}=b || v${i}=a;`).join('')} echo ${Array.from({ length: 30 }, (_, i) => `$v${i}`).join('')}`,
    ],
    ['code that names a library again and again', `python3 -c '${filled('boto3 ', "'").slice(0, 60_000)}'`],
    ['code of quotes', `python3 -c '${filled('"').slice(0, 60_001)}'`],
    ['code of other quotes', `python3 -c "${filled("'").slice(0, 60_001)}"`],
    ['code of members', `node -e '${filled('a["b"]').slice(0, 60_000)}'`],
    ['code of modules', `node -e '${filled('require("b")').slice(0, 60_000)}'`],
    ['code of maps', `node -e '${filled('map ').slice(0, 60_000)}'`],
    ['code of concatenations', `node -e '${filled('"a"+').slice(0, 60_000)}'`],
    ['code that evaluates code', `python3 -c '${filled('eval("a b");').slice(0, 60_000)}'`],
    ['code that starts many programs', `python3 -c '${filled('os.system("a b");').slice(0, 60_000)}'`],
    ['code that forks', `perl -e '${filled('fork ').slice(0, 60_000)}'`],
    ['code of backquotes', `ruby -e '${filled('`').slice(0, 60_001)}'`],
    ['code with slashes', `node -e '${filled('/*').slice(0, 60_000)}'`],
    ['sed commands', `sed '${filled('d;').slice(0, 60_000)}' a`],
    ['sed addresses', `sed '${filled('/').slice(0, 60_001)}' a`],
    ['sed substitutions', `sed '${filled('s/a/b/;').slice(0, 60_000)}' a`],
    ['sed blocks', `sed '${filled('{').slice(0, 60_000)}' a`],
    ['awk strings', `awk '${filled('"a" | getline;').slice(0, 60_000)}'`],
    ['statements', `psql -c '${filled('drop table a;').slice(0, 60_000)}'`],
    ['one statement', `psql -c 'delete from a ${filled('where ').slice(0, 60_000)}'`],
    ['blocks that execute', `psql -c "${filled('execute ').slice(0, 60_000)}"`],
    ['an address', `curl -d x 'https://a/${filled('/delet').slice(0, 60_000)}'`],
    ['options of a table', `aws ${filled('-a b ').slice(0, 60_000)}`],
    ['a word of parts', `acmectl ${filled('a-').slice(0, 60_000)}`],
    ['names of names', `${Array.from({ length: 2000 }, (_, i) => `mv a${i} a${i + 1};`).join('')} rm -rf a2000`],
    ['names in a circle', 'mv a b; mv b a; mv a b; ln -s a b; ln -s b a; rm -rf a/ b/'],
    ['traps within traps', `${'trap "trap \"'.repeat(50)} EXIT`],
    ['traps that set traps', 'trap \'trap "trap : EXIT" EXIT\' EXIT'],
    ['prompts within prompts', `${'PS4="'.repeat(40)}`],
    ['make recipes', `make --eval='${filled('a: ;b\n').slice(0, 60_000)}'`],
    ['lists of characters', `rm ${'[ab]'.repeat(40)}.pyc`],
    ['a variable that doubles', `x=aaaaaaaa; ${'x=$x$x;'.repeat(60)} $x`],
  ])('%s, as risky and in bounded time', (_name, command) => {
    const before = process.threadCpuUsage();
    const risk = assess(command);
    const { user, system } = process.threadCpuUsage(before);
    expect(risk.risk_score).toBeGreaterThan(0);
    // The limit is 200 ms, but other suites keep the processor's caches busy. A longer time shows unbounded growth: the
    // next power takes minutes.
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });

  test('a command that can not be parsed is never autopilot', () => {
    for (const command of [
      filled('$('),
      filled('a|', 'a'),
      `${'eval "'.repeat(40)}rm`,
      filled("'").slice(1),
      filled('{ '),
    ]) {
      expect(assess(command).ceiling).toBe('soft_gate');
    }
  });

  test("a command that exceeds the parser's budget does not affect the next one", () => {
    const script = 'cat > a.sh <<END\nrm -rf $x src\nEND\nsh a.sh\n';
    const before = assess(script);
    expect(before.risk_basis).toContain('delete.tree');
    for (const command of ['cat <<E;'.repeat(8000), 'cat <<E|'.repeat(8000), '<<A '.repeat(300), '$(('.repeat(200)])
      assess(command);
    expect(assess(script)).toEqual(before);
  });

  test.each([
    ['nested evaluated texts', `x='${'{ '.repeat(60)} eval "$x"; ${'}; '.repeat(60)}'; eval "$x"`],
    ['groups', `${'{ '.repeat(110)}a;${' };'.repeat(110)}`],
    ['subshells in substitutions', `${'echo $(( ( '.repeat(50)}a${' ) ))'.repeat(50)}`],
    [
      'functions that call each other',
      `${Array.from({ length: 100 }, (_, index) => `f${index}() { { { f${index + 1}; }; }; };`).join('')} f0`,
    ],
    ['parameters that double', `set -- a b c;${'set -- "$@" "$@";'.repeat(3000)}rm "$@"`],
    [
      'a name of a name of a name',
      `${Array.from({ length: 6000 }, (_, index) => `mv a${index} a${index + 1};`).join('')} rm -rf a6000`,
    ],
    ['many words', `rm${' a'.repeat(32_000)}`],
    ['many words of a list', `a=(${' a'.repeat(32_000)}); rm "\${a[@]}"`],
  ])('no stack overflows: %s', (_name, command) => {
    const large = { nodes: 1e6, parserReports: 1e6, reads: 1e6, steps: 3e6 };
    expect(
      assessRisk(
        { tool: { tool_id: 'shell.run', category: 'write' }, args: { command }, resources: [] },
        grammar,
        {},
        large,
      ).risk_score,
    ).toBeGreaterThan(0);
  });

  test('any text is assessed, with the same result twice', () => {
    const piece = fc.constantFrom(
      'sed',
      '-i',
      'python3 -c',
      'node -e',
      'trap',
      'EXIT',
      'mv',
      'ln -s',
      'xargs',
      'find',
      '-exec',
      'curl -d',
      '@-',
      'env',
      'sh -c',
      'eval',
      'sort -o',
      'zip -m',
      'chattr',
      'awk',
      'psql -c',
      'drop table a',
      'docker run -v',
      'rm',
      '-rf',
      '/',
      ' ',
      '$',
      '{',
      '}',
      '(',
      ')',
      '"',
      "'",
      '`',
      '|',
      '&',
      ';',
      '\n',
      '<',
      '>',
      '*',
      '~',
      '=',
      '\\',
      'x',
      'for',
      'do',
      'done',
      'if',
      'fi',
      'case',
      '\0',
      '\uE000',
      '<<',
      'EOF',
      '#',
      '!',
      '[[',
      ']]',
      'é',
      '𝒳',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
        (command) => {
          const risk = assess(command);
          expect(risk.risk_score).toBeGreaterThanOrEqual(0);
          expect(risk.risk_score).toBeLessThanOrEqual(1);
          expect(assess(command)).toEqual(risk);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('no construct around a deletion of the root hides it', () => {
    const wrappers: ((inner: string) => string)[] = [
      (c) => `sh -c ${quoted(c)}`,
      (c) => `bash -lc ${quoted(c)}`,
      (c) => `eval ${quoted(c)}`,
      (c) => `( ${c}\n)`,
      (c) => `{ ${c}\n}`,
      (c) => `true && ${c}`,
      (c) => `echo $( ${c}\n)`,
      (c) => `if true; then ${c}\nfi`,
      (c) => `for i in 1; do ${c}\ndone`,
      (c) => `while true; do ${c}\ndone`,
      (c) => `f() { ${c}\n}; f`,
      (c) => `echo ${quoted(c)} | sh`,
      (c) => `printf '%s' ${quoted(c)} | bash`,
      (c) => `timeout 5 sh -c ${quoted(c)}`,
      (c) => `env A=1 sh -c ${quoted(c)}`,
      (c) => `X=${quoted(c)}; eval "$X"`,
      (c) => `bash <<'E${c.length}'\n${c}\nE${c.length}\n`,
      (c) => `echo ${Buffer.from(c).toString('base64')} | base64 -d | sh`,
      (c) => `trap ${quoted(c)} EXIT`,
      (c) => `xargs -I{} sh -c ${quoted(c)} <<< x`,
      (c) => `echo ${quoted(c)} > s${c.length}.sh; sh s${c.length}.sh`,
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...wrappers), { maxLength: 3 }), (layers) => {
        const command = layers.reduce((inner, wrap) => wrap(inner), 'rm -rf /');
        expect([command, assess(command).ceiling]).toEqual([command, 'no_go']);
      }),
      { numRuns: 400 },
    );
  });

  test('a script that may write itself anew before it runs itself is never autopilot', () => {
    const written = (c: string): string => `echo ${quoted(c)} > s.sh; sh s.sh`;
    // The first one is read to its end. In the second, `&&` leaves open what the script holds when it runs again.
    expect(assess(written(written('rm -rf /'))).ceiling).toBe('no_go');
    expect(assess(written(`true && ${written('rm -rf /')}`)).ceiling).toBe('soft_gate');
  });
});

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
