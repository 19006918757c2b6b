// SPDX-License-Identifier: Apache-2.0
// The cost of reading a command, counted in units that don't depend on the machine, grows in proportion to the command.
import { bundledGrammar } from './bundled-grammar.contract.ts';
import { placeSecrets } from './placing/place-secrets.ts';
import { readCommand } from './read-command.ts';
import { COMMAND_BUDGET, type ShellBudget } from './shell/budget.ts';

const grammar = await bundledGrammar();
const KB = 1024;
/** WRIT_FUZZ_RUNS makes the run longer: every size up to the longest possible command. */
const isLong = process.env['WRIT_FUZZ_RUNS'] !== undefined;
const SIZES = (isLong ? [1, 2, 4, 8, 16, 32, 64] : [4, 16]).map((size) => size * KB);
const LARGEST = SIZES.at(-1) ?? 0;

/** A text of about this size, of as many units as fit. */
const filled = (unit: string, size: number, start = '', end = ''): string =>
  `${start}${unit.repeat(Math.max(1, Math.floor((size - start.length - end.length) / unit.length)))}${end}`;
const counted = (unit: (index: number) => string, size: number, start = '', end = ''): string => {
  const parts = [start];
  for (let [index, length] = [0, start.length + end.length]; length < size; index += 1) {
    const part = unit(index);
    parts.push(part);
    length += part.length;
  }
  return [...parts, end].join('');
};

type Construct = readonly [name: string, make: (size: number) => string];

/** Constructs of the shell, repeated. */
const SHELL: readonly Construct[] = [
  ['commands', (size) => filled('echo a;', size)],
  ['lines', (size) => filled('echo a\n', size)],
  ['words', (size) => filled(' a', size, 'rm')],
  ['a long word', (size) => filled('a', size, 'rm ')],
  ['options', (size) => filled(' -e a', size, 'grep')],
  ['long options', (size) => filled(' --exclude=a', size, 'grep')],
  ['a cluster of options', (size) => filled('a', size, 'ls -')],
  ['quotes', (size) => filled(" 'a'", size, 'echo')],
  ['double quotes', (size) => filled(' "a$x"', size, 'echo')],
  ['escapes', (size) => filled('\\a', size, 'echo ')],
  ['ansi quotes', (size) => filled(" $'\\n'", size, 'echo')],
  ['comments', (size) => filled('# a\n', size)],
  ['assignments', (size) => counted((index) => `v${index}=1;`, size)],
  ['assignments of one variable', (size) => filled('x=a;', size)],
  ['a variable that grows', (size) => filled('x+=a;', size)],
  ['a variable that doubles', (size) => filled('x=$x$x;', size, 'x=a;')],
  ['a list that grows', (size) => filled('a+=(b);', size)],
  ['a list that doubles', (size) => filled('a=("${a[@]}" "${a[@]}");', size, 'a=(b c);')],
  ['elements', (size) => counted((index) => `a[${index}]=b;`, size)],
  ['elements that are read', (size) => filled('echo ${a[1]};', size, 'a=(1 2 3);')],
  ['a long list', (size) => filled(' b', size, 'a=(', ')')],
  ['parameters that grow', (size) => filled('set -- "$@" a;', size)],
  ['parameters that double', (size) => filled('set -- "$@" "$@";', size, 'set -- a b c;', 'rm "$@"')],
  ['expansions', (size) => filled(' $x', size, 'echo')],
  ['defaults', (size) => filled(' ${x:-a}', size, 'echo')],
  ['parts of values', (size) => filled(' ${x:1:2}', size, 'echo')],
  ['replacements', (size) => filled(' ${x/a/b}', size, 'echo')],
  ['braces', (size) => filled(' {a,b}', size, 'echo')],
  ['braces in one word', (size) => filled('{a,b}', size, 'echo ')],
  ['substitutions', (size) => filled(' $(a)', size, 'echo')],
  ['backquotes', (size) => filled(' `a`', size, 'echo')],
  ['process substitutions', (size) => filled(' <(a)', size, 'cat')],
  ['arithmetic', (size) => filled(' $((1+2))', size, 'echo')],
  ['arithmetic on variables', (size) => counted((index) => `((v${index}++));`, size)],
  ['long arithmetic', (size) => filled('+1', size, 'echo $((1', '))')],
  ['conditions', (size) => filled('[[ $x -gt 1 ]];', size)],
  ['tests', (size) => filled('[ -n "$x" ];', size)],
  ['pipes', (size) => filled('|a', size, 'a')],
  ['pipes that set variables', (size) => counted((index) => `v${index}=1;a|b;`, size)],
  ['pipes that write files', (size) => counted((index) => `a > f${index}|b;`, size)],
  ['subshells', (size) => filled('(a);', size)],
  ['groups', (size) => filled('{ a; };', size)],
  ['lists', (size) => filled('a && b;', size)],
  ['lists that set variables', (size) => counted((index) => `v${index}=1 && b;`, size)],
  ['branches', (size) => filled('if a; then b; fi;', size)],
  ['branches that set variables', (size) => counted((index) => `if a; then v${index}=1; else v${index}=2; fi;`, size)],
  ['cases', (size) => filled('case a in b) c;; esac;', size)],
  ['items of a case', (size) => filled(' b) c;;', size, 'case a in', ' esac')],
  ['loops', (size) => filled('for i in a b; do c; done;', size)],
  ['words of a loop', (size) => filled(' a', size, 'for i in', '; do rm $i; done')],
  ['loops that wait', (size) => filled('while a; do b; done;', size)],
  ['loops that count', (size) => filled('for ((i=0;i<3;i++)); do a; done;', size)],
  ['functions', (size) => counted((index) => `f${index}() { a; };`, size)],
  ['functions that are called', (size) => counted((index) => `f${index}() { a; }; f${index};`, size)],
  ['calls of a function', (size) => filled('f;', size, 'f() { a; };')],
  ['evaluated texts', (size) => filled("eval 'a';", size)],
  ['evaluated texts beside functions', (size) => counted((index) => `f${index}() { a; }; eval a;`, size)],
  ['shells', (size) => filled("sh -c 'a';", size)],
  ['aliases', (size) => counted((index) => `alias a${index}=b;`, size)],
  ['traps', (size) => filled("trap 'a' EXIT;", size)],
  ['redirections', (size) => filled('a > b;', size)],
  ['redirections of one command', (size) => filled(' > b', size, 'cat a')],
  ['redirections before a command', (size) => filled('> b ', size, '', 'cat a')],
  ['files that are added to', (size) => filled('echo a >> b;', size)],
  ['files that are written', (size) => counted((index) => `echo a > f${index};`, size)],
  ['a here-document', (size) => filled('a b c\n', size, 'cat <<E\n', 'E\n')],
  ['a here-document of expansions', (size) => filled('$a\n', size, 'cat <<E\n', 'E\n')],
  ['here-documents', (size) => filled('cat <<E\na\nE\n', size)],
  ['here-strings', (size) => filled('cat <<< a;', size)],
  ['declarations', (size) => counted((index) => `declare -i v${index}=1;`, size)],
  ['exports', (size) => counted((index) => `export v${index}=1;`, size)],
  ['variables of a command', (size) => counted((index) => `V${index}=1 `, size, '', 'a')],
  ['names of names', (size) => counted((index) => `mv a${index} a${index + 1};`, size)],
  ['directories', (size) => filled('cd a;', size)],
  ['a deep path', (size) => filled('/a', size, 'rm a')],
];

/** Programs with many arguments. */
const PROGRAMS: readonly Construct[] = [
  ['found paths', (size) => filled(' a', size / 2, 'find', filled(' -name b', size / 2, ' -type f'))],
  ['deletions of find', (size) => filled(' -delete', size, 'find a')],
  ['commands of find', (size) => filled(' -exec a {} \\;', size, 'find a')],
  ['marks of xargs', (size) => filled(' {}', size, 'echo a | xargs -I{} rm')],
  ['words of xargs', (size) => filled(' a', size, 'echo', ' | xargs rm')],
  ['formats', (size) => filled(' a', size, "printf '%s\\n'")],
  ['directories that are built', (size) => filled(' bin', size, 'rm -rf')],
  ['sed commands', (size) => filled('d;', size, "sed '", "' a")],
  ['sed substitutions', (size) => filled('s/a/b/;', size, "sed '", "' a")],
  ['sed addresses', (size) => filled('/a', size, "sed '", "' a")],
  ['lazy patterns', (size) => filled('.*?', size, "sed 's/", "x//' a")],
  ['awk', (size) => filled('{ print $1 }', size, "awk '", "' a")],
  ['awk strings', (size) => filled('\\"', size, 'awk \'{ print "', "' a")],
  ['awk pipes', (size) => filled('"a" | getline;', size, "awk '{", "}' a")],
  ['python', (size) => filled('print(1);', size, "python3 -c '", "'")],
  ['strings of python', (size) => filled('"a" + ', size, "python3 -c '", "1'")],
  ['an open string of python', (size) => filled('\\"', size, 'python3 -c \'x = "', "'")],
  ['spaces in code', (size) => filled(' ', size, "perl -e 'fork", "x'")],
  ['imports', (size) => filled('from os import a ', size, "python3 -c '", "'")],
  ['forks', (size) => filled('for ', size, "perl -e '", "'")],
  ['members', (size) => filled('a["b"];', size, "node -e '", "'")],
  ['modules', (size) => filled('require("b");', size, "node -e '", "'")],
  ['comments of node', (size) => filled('/*', size, "node -e '", "'")],
  ['started programs', (size) => filled('os.system("a b");', size, "python3 -c '", "'")],
  ['writes of nothing', (size) => filled('writeFile ', size, "node -e '", "'")],
  ['kills', (size) => filled('process.kill(', size, "node -e '", ",0)'")],
  ['recipes', (size) => filled('a: ;b\n', size, "make --eval='", "'")],
  ['colons of a rule', (size) => filled(':', size, "make --eval='a", "'")],
  ['shells of make', (size) => filled('$(shell ', size, "make --eval='a:", "'")],
  ['editors', (size) => filled("system('", size, 'vim -c "', '" a')],
  ['a deep path of keys', (size) => filled('/.gnupg', size, "cat 'a", " '")],
  ['data of a request', (size) => filled(';a=', size, "curl -d '@", "\nx' https://example.com")],
  ['options of a request', (size) => filled(' -d a=b', size, 'curl https://example.com')],
  ['settings of git', (size) => filled(' -c a.b=c', size, 'git', ' log')],
  [
    'settings in variables',
    (size) => counted((index) => `GIT_CONFIG_KEY_${index}=a.b GIT_CONFIG_VALUE_${index}=c `, size, '', 'git log'),
  ],
];

/** The grammar looks ahead at each word, to the end of the text; the budget ends that. */
const GRAMMAR: readonly Construct[] = [
  ['here-documents without a body', (size) => filled('cat <<E;', size)],
  ['here-documents without a body in a pipeline', (size) => filled('cat <<E|', size)],
  ['here-documents with tabs', (size) => filled('cat <<-E;', size)],
  ['here-documents of one command', (size) => filled('<<A ', size)],
  ['open expansions', (size) => filled('${a:-', size)],
  ['open substitutions', (size) => filled('$(', size)],
  ['open conditions', (size) => filled('[[ a =~ (', size)],
  ['open patterns', (size) => filled('case a in (', size)],
  ['open quotes', (size) => filled(`"'`, size)],
  ['open backquotes', (size) => filled('a`', size)],
  ['open subshells', (size) => filled('( ', size)],
  ['functions of functions', (size) => filled('f(){ ', size)],
  ['ifs', (size) => filled('if ', size)],
];

/** Much more than the budget of a command, so that fast growth becomes visible. */
const LARGE: ShellBudget = { nodes: 400_000, parserReports: 40_000, reads: 200_000, steps: 4_000_000 };
const sumOf = ({ nodes, parserReports, reads, steps }: ShellBudget): number => nodes + parserReports + reads + steps;
const costOf = (command: string, budget: ShellBudget): { readonly cost: number; readonly unread: boolean } => {
  const { cost, unread } = readCommand({ command, cwd: undefined, stdin: undefined }, grammar, budget);
  return { cost: sumOf(cost), unread };
};

/**
 * The permitted factor between the cost of a byte of the longest text and of one of 4 KiB: balanced trees and nested
 * texts cost a little more.
 */
const DEARER_MAX = 2.5;

describe('the cost of reading a command is proportional to its length', () => {
  test.each([...SHELL, ...PROGRAMS])('%s', (_name, make) => {
    const costs = SIZES.map((size) => costOf(make(size), LARGE));
    expect(costs.map(({ unread }) => unread)).toEqual(SIZES.map(() => false));
    const perByte = costs.map(({ cost }, index) => cost / (SIZES[index] ?? 1));
    expect({
      perByte,
      linear: (perByte.at(-1) ?? 0) <= DEARER_MAX * (perByte[SIZES.indexOf(4 * KB)] ?? 0),
    }).toMatchObject({ linear: true });
  });

  test.each(GRAMMAR)('and the budget ends it where the grammar looks ahead: %s', (_name, make) => {
    for (const size of SIZES) {
      const { cost } = readCommand({ command: make(size), cwd: undefined, stdin: undefined }, grammar);
      // Callbacks of the parser may each count once more before it stops.
      for (const unit of ['nodes', 'parserReports', 'reads'] as const)
        expect(cost[unit]).toBeLessThanOrEqual(COMMAND_BUDGET[unit] + 64);
    }
  });
});

/**
 * The permitted processor time of a unit, in microseconds, on a machine that is busy with other suites. A quadratic one
 * takes thousands.
 */
const UNIT_US_MAX = 120;

test('a unit of cost takes a bounded time, whatever it is spent on', () => {
  const slow = [...SHELL, ...PROGRAMS, ...GRAMMAR].flatMap(([name, make]) => {
    const command = make(LARGEST);
    const before = process.cpuUsage();
    const { cost } = costOf(command, COMMAND_BUDGET);
    const { user, system } = process.cpuUsage(before);
    const perUnit = (user + system) / cost;
    return perUnit > UNIT_US_MAX ? [`${name}: ${Math.round(perUnit)} µs`] : [];
  });
  expect(slow).toEqual([]);
}, 120_000);

/** Shorter times are rounded up to this: a pause of the garbage collector is as long. */
const MEASURABLE_MS = 25;

describe('putting secrets into a command', () => {
  const S = '${secret:A}';
  test.each<Construct>([
    ['arguments', (size) => filled(` ${S}`, size, 'curl')],
    ['commands', (size) => filled(`curl ${S};`, size)],
    ['pipelines', (size) => filled(`|curl ${S}`, size, 'a')],
    ['variables', (size) => counted((index) => `v${index}=${S};`, size)],
    ['exported variables', (size) => filled(` A=${S}`, size, 'export')],
    ['parts of one word', (size) => filled(S, size, 'curl ')],
    ['parts of one text', (size) => filled(S, size, 'curl "', '"')],
    ['lines of a here-document', (size) => filled(`${S}\n`, size, 'cat <<E\n', 'E\n')],
    ['functions', (size) => counted((index) => `f${index}() { curl ${S}; };`, size)],
    ['words like the mark', (size) => filled('X', size, `curl ${S} WritSecret`)],
  ])('takes linear time: %s', (_name, make) => {
    const timeOf = (size: number): number => {
      const command = make(size);
      const before = process.cpuUsage();
      placeSecrets(command, grammar, LARGE);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    timeOf(4 * KB);
    const small = Math.max(timeOf(8 * KB), MEASURABLE_MS);
    // A command of four times the length takes four times as long, and 16 times where the work is quadratic. The test
    // measures both, since processor time depends on the machine and its load.
    expect(timeOf(32 * KB) / small).toBeLessThan(10);
  });

  test('ends with the budget, and says so', () => {
    expect(
      placeSecrets(filled(`curl ${S};`, 32 * KB), grammar, { nodes: 500, parserReports: 500, reads: 500, steps: 500 }),
    ).toMatchObject({ ok: false, unread: true });
  });
});
