// SPDX-License-Identifier: Apache-2.0
// bash itself is the reference for what it evaluates a second time: a real one runs every command here, in a separate
// directory.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { assessRisk } from './assess-risk.ts';
import { bundledGrammar } from './bundled-grammar.contract.ts';

const grammar = await bundledGrammar();
// WRIT_FUZZ_RUNS makes the run longer: some 100,000 take an hour.
const RUNS = Number(process.env['WRIT_FUZZ_RUNS'] ?? 250);
/** The directory that the payload destroys. */
const TREE = 'src';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-evaluation-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Answers whether bash runs the payload of the command. */
function runsPayload(command: string): boolean {
  mkdirSync(join(folder, TREE, 'a'), { recursive: true });
  spawnSync('bash', ['-c', command], {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', HOME: folder },
    stdio: 'ignore',
    timeout: 5_000,
  });
  const ran = !existsSync(join(folder, TREE));
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  return ran;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const INDEX = `a[$(rm -rf ${TREE})]`;

/** Texts that run a command where they are evaluated. */
const PAYLOADS = [
  INDEX,
  `$(rm -rf ${TREE})`,
  `\`rm -rf ${TREE}\``,
  `b[\`rm -rf ${TREE}\`]`,
  `1+a[$(rm -rf ${TREE})0]`,
  `x=a[$(rm -rf ${TREE})]`,
  `(a[$(rm -rf ${TREE})])`,
  `-v ${INDEX}`,
  `([$(rm -rf ${TREE})]=1)`,
  `($(rm -rf ${TREE}))`,
  'HOME',
  '1',
  '1+1',
  'y',
];

/** How a text is assigned to the variable `x`, quoted for the shell. */
const WAYS: readonly ((text: string) => string)[] = [
  (text) => `x=${text}`,
  (text) => `declare x=${text}`,
  (text) => `export x=${text}`,
  (text) => `read -r x <<< ${text}`,
  (text) => `printf -v x %s ${text}`,
  (text) => `w=(${text}); x=\${w[0]}`,
  (text) => `w=${text}; x=$w`,
  (text) => `x=$(printf %s ${text})`,
  (text) => `set -- ${text}; x=$1`,
  (text) => `for x in ${text}; do :; done`,
  (text) => `f() { x=$1; }; f ${text}`,
  (text) => `mapfile -t w <<< ${text}; x=\${w[0]}`,
  (text) => `: "\${x:=${text}}"`,
  (text) => `x=; x+=${text}`,
  (text) => `declare -A w; w[k]=${text}; x=\${w[k]}`,
  (text) => `while read -r x; do break; done <<< ${text}`,
  (text) => `unset x; x=${text}`,
  (text) => `y=${text}; x=y`,
];

/** Constructs that evaluate `x`, or the text itself, a second time; and some that don't. */
const PLACES: readonly ((text: string) => string)[] = [
  () => 'echo $((x))',
  () => 'echo $(($x))',
  () => 'echo $((1 + ${x}))',
  () => 'echo $[x]',
  () => '((x))',
  () => '((y = x))',
  () => '((x > 1))',
  () => 'let x',
  () => 'let "z = x + 1"',
  () => 'let z=$x',
  () => 'for ((i=x; i<1; i++)); do :; done',
  () => 'for ((i=0; i<x && i<2; i++)); do :; done',
  () => '[[ x -gt 0 ]]',
  () => '[[ $x -eq 1 ]]',
  () => '[[ 1 -lt "$x" ]]',
  () => '[[ -n a && $x -ne 2 ]]',
  () => '[[ ! ( x -ge 1 ) ]]',
  () => '[[ -v $x ]]',
  () => '[[ -v "$x" || -n $x ]]',
  () => '[[ -R $x ]]',
  () => 'test -v "$x"',
  () => '[ -v "$x" ]',
  () => 'test $x',
  () => '[ $x ]',
  () => '[ "$x" -eq 1 ]',
  () => '[ -n "$x" -a -v "$x" ]',
  () => 'printf -v "$x" hi',
  () => 'read "$x" <<< y',
  () => 'read -a "$x" <<< y',
  () => 'unset "$x"',
  () => 'unset $x',
  () => 'unset -v "$x"',
  () => 'declare -i z=$x',
  () => 'declare -i z; z=$x',
  () => 'local_() { local -i z=$x; }; local_',
  () => 'declare -n r=$x; echo "$r"',
  () => 'declare -n r; r=$x; echo $r',
  () => 'typeset -i z=$x',
  () => 'declare "$x=1"',
  () => 'declare "$x"',
  () => 'readonly "$x"',
  () => 'export "$x"',
  () => 'echo ${!x}',
  () => 'echo "${!x}"',
  () => 'echo ${!x:-d}',
  () => 'echo ${x@P}',
  () => 'echo "${x@P}"',
  () => 'echo ${HOME:x}',
  () => 'echo ${HOME:$x}',
  () => 'echo ${HOME:0:x}',
  () => 'echo ${HOME: $x : 1}',
  () => 'echo ${@:x}',
  () => 'c=(1 2); echo ${c[@]:x:1}',
  () => 'c=(1 2); echo ${c[x]}',
  () => 'c=(1 2); echo "${c[$x]}"',
  () => 'c[x]=1',
  () => 'c[$x]=1',
  () => 'c[$x]+=1',
  () => 'c=([x]=1)',
  () => 'c=([$x]=1)',
  () => 'c+=([$x]=1)',
  () => 'echo ${#c[$x]}',
  () => 'echo ${c[$x]:-d}',
  () => 'echo ${c[$x]/a/b}',
  () => 'unset "c[$x]"',
  () => 'declare -a c=$x',
  () => 'declare -a "c=$x"',
  () => 'declare -A c=$x',
  () => 'declare -A c; c[$x]=1; echo "${c[$x]}"',
  () => 'declare -A c; c[$x]=1; ((c[$x]++))',
  () => 'declare -A c; [[ -v c[$x] ]]',
  () => 'declare -A c; unset "c[$x]"',
  () => 'mapfile "$x" < /dev/null',
  () => 'mapfile -t "$x" <<< y',
  () => 'wait -p "$x" -n',
  () => 'getopts ab "$x" -a',
  () => 'RANDOM=$x',
  () => 'SECONDS=$x',
  () => 'OPTIND=$x',
  () => 'LINENO=$x',
  () => 'declare -i z; for z in $x; do :; done',
  () => 'declare -i z; read z <<< "$x"',
  () => 'declare -i z; printf -v z %s "$x"',
  () => 'declare -ai z; z[0]=$x',
  () => 'declare -ai z; z=($x)',
  () => 'declare -i z; z+=$x',
  () => 'declare -i z; : ${z:=$x}',
  () => 'exec {x}>f',
  () => 'PS4=$x; set -x; :',
  () => 'compgen -W "$x"',
  () => 'eval "$x"',
  () => 'eval "echo $x"',
  () => 'bash -c "echo $x"',
  () => 'trap "$x" EXIT',
  () => 'shift $x',
  () => 'exit $x',
  () => 'echo $x',
  () => 'echo "$x" > f',
  () => 'case $x in 1) ;; esac',
  () => 'echo ${x#a} ${x%b} ${x/a/b} ${x^^}',
  () => 'cat <<< "$x"',
  () => 'cat <<E\n$((x))\nE',
  () => 'cat <<E\n$x\nE',
  () => 'printf "%d" "$x"',
  () => 'echo {1..$x}',
  () => 'ulimit -n $x',
  () => 'test "$x" = 1',
  (text) => `echo $((${text.replaceAll("'", '')}))`,
  (text) => `echo \${c[${text}]}`,
  (text) => `c[${text}]=1`,
  (text) => `[[ -v ${quoted(text)} ]]`,
  (text) => `let ${quoted(text)}`,
  (text) => `unset ${quoted(text)}`,
  (text) => `declare ${quoted(`${text}=1`)}`,
  (text) => `declare -a ${quoted(`c=${text}`)}`,
  (text) => `printf ${quoted(`-v${text}`)} hi`,
  (text) => `exec {${text}}>f`,
  (text) => `x=${quoted(text)} let x`,
  (text) => `x=${quoted(text)} eval 'echo $((x))'`,
  (text) => `x=${quoted(text)} bash -c 'echo $((x))'`,
  (text) => `echo \${x:-$((${text}))}`,
];

/** Constructs around the command. */
const AROUND: readonly ((command: string) => string)[] = [
  (c) => c,
  (c) => `(${c}\n)`,
  (c) => `{ ${c}\n}`,
  (c) => `echo "$(${c}\n)"`,
  (c) => `f() { ${c}\n}; f`,
  (c) => `if true; then ${c}\nfi`,
  (c) => `for k in 1 2; do ${c}\ndone`,
  (c) => `true && { ${c}\n}`,
  (c) => `{ ${c}\n} | cat`,
  (c) => `eval ${quoted(c)}`,
  (c) => `bash -c ${quoted(c)}`,
  (c) => `bash <<'EOF'\n${c}\nEOF\n`,
  (c) => `case a in *) ${c}\n;; esac`,
  (c) => `while :; do ${c}\nbreak; done`,
  (c) => `cat <(${c}\n)`,
  (c) => `trap ${quoted(c)} EXIT`,
  (c) => `echo ${quoted(c)} > s.sh; bash s.sh`,
  (c) => `${c}\ntrue`,
  (c) => `time ${c}`,
  (c) => `! ${c}`,
  (c) => `time -p ${c}`,
  (c) => `time -- ${c}`,
];

const command = fc
  .tuple(
    fc.constantFrom(...PAYLOADS),
    fc.constantFrom(...WAYS),
    fc.constantFrom(...PLACES),
    fc.constantFrom(...AROUND),
    fc.constantFrom(...AROUND),
    fc.boolean(),
  )
  .map(([payload, way, place, inner, outer, apart]) =>
    apart
      ? outer(inner(`${way(quoted(payload))}; ${place(payload)}`))
      : outer(`${way(quoted(payload))}; ${inner(place(payload))}`),
  );

const assess = (text: string, session: boolean) =>
  assessRisk(
    {
      tool: { tool_id: 'shell.run', category: 'write', ...(session ? { session } : {}) },
      args: { command: text },
      resources: [],
    },
    grammar,
  );

test('a text that bash evaluates a second time needs an approval, and is never classified as read-only', () => {
  let ran = 0;
  fc.assert(
    fc.property(command, (text) => {
      if (!runsPayload(text)) return;
      ran += 1;
      const { ceiling, category } = assess(text, false);
      expect({ text, seen: ceiling !== 'none' && category !== 'read' }).toEqual({ text, seen: true });
    }),
    { numRuns: RUNS },
  );
  expect(ran).toBeGreaterThan(RUNS / 10);
}, 7_200_000);

test('every sequence of `time` and `!` before a command leaves the command to the shell', () => {
  const sequence = fc.array(fc.constantFrom('time', 'time -p', 'time --', '!'), { minLength: 1, maxLength: 4 });
  const commands = ['x=TEXT', 'w=1; x=TEXT', 'x+=TEXT', 'x[0]=TEXT', 'read -r x <<< TEXT', 'printf -v x %s TEXT'];
  const later = ['declare x=TEXT', 'export x=TEXT', 'x=TEXT eval "echo \\$((x))"', 'eval x=TEXT', 'unset TEXT'];
  fc.assert(
    fc.property(sequence, fc.constantFrom(...commands, ...later), (words, set) => {
      const text = `${words.join(' ')} ${set.replace('TEXT', quoted(INDEX))}; echo $((x))`;
      if (!runsPayload(text)) return;
      const { ceiling, category } = assess(text, false);
      expect({ text, seen: ceiling !== 'none' && category !== 'read' }).toEqual({ text, seen: true });
    }),
    {
      numRuns: RUNS,
      examples: [
        [['time', '!'], 'x=TEXT'],
        [['time', '!'], 'read -r x <<< TEXT'],
      ],
    },
  );
}, 7_200_000);

test('the same holds in a shell that has the value from an earlier command', () => {
  fc.assert(
    fc.property(fc.constantFrom(...PLACES), fc.constantFrom(...AROUND), (place, around) => {
      const text = around(place('y'));
      if (!runsPayload(`export x=${quoted(INDEX)}\n${text}`)) return;
      const { ceiling, category } = assess(text, true);
      expect({ text, seen: ceiling !== 'none' && category !== 'read' }).toEqual({ text, seen: true });
    }),
    { numRuns: Math.ceil(RUNS / 5) },
  );
}, 7_200_000);

test('literal numbers need no approval, whatever evaluates them', () => {
  for (const place of PLACES.slice(0, 30)) {
    const text = `x=1; ${place('1')}`;
    expect([text, assess(text, false).ceiling]).toEqual([text, 'none']);
  }
});
