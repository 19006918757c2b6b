// SPDX-License-Identifier: Apache-2.0
// bash itself is the reference for the value of a variable at a deletion: a real one runs every program here, in a
// separate directory.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { assessRisk } from './assess-risk.ts';
import { bundledGrammar } from './bundled-grammar.contract.ts';

const grammar = await bundledGrammar();
// WRIT_FUZZ_RUNS makes the run longer: some 100,000 take an hour.
const RUNS = Number(process.env['WRIT_FUZZ_RUNS'] ?? 150);
/** A tree whose deletion must be detected, and one that may be deleted: the output of a build. */
const [PRECIOUS, DISPOSABLE] = ['src', 'dist'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-flow-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Answers whether bash deletes the precious tree. */
function deletes(program: string): boolean {
  for (const name of [PRECIOUS, DISPOSABLE]) mkdirSync(join(folder, name, 'a'), { recursive: true });
  // A function may call itself in a subshell: `timeout` bounds the nesting, and ends all of its processes.
  spawnSync('timeout', ['-s', 'KILL', '2', 'bash', '-c', program], {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', HOME: folder, FUNCNEST: '6' },
    stdio: 'ignore',
  });
  const gone = !existsSync(join(folder, PRECIOUS, 'a'));
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  return gone;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const name = fc.constantFrom('x', 'y', 'z');
const literal = fc.constantFrom(PRECIOUS, DISPOSABLE, DISPOSABLE, './src', 'sr', 'c', 'dist/../src', '""');
const value = fc.oneof(
  literal,
  name.map((other) => `$${other}`),
  name.map((other) => `"\${${other}}"`),
  fc.constantFrom('$1', '"$@"', '$2'),
  name.map((other) => `\${${other}:-src}`),
  name.map((other) => `\${${other}:+dist}`),
  name.map((other) => `$(echo $${other})`),
  fc.tuple(name, literal).map(([other, text]) => `$${other}${text}`),
  name.map((other) => `\${${other}%/a}`),
  name.map((other) => `\${${other}/dist/src}`),
  name.map((other) => `\${!${other}}`),
  name.map((other) => `\${${other}[0]}`),
);
const condition = fc.oneof(
  fc.constantFrom('true', 'false', 'test -e dist', 'test -e nothing', '[[ a == b ]]', '((0))'),
  name.map((other) => `[ -n "$${other}" ]`),
  fc.tuple(name, literal).map(([other, text]) => `[ "$${other}" = ${text} ]`),
);

const { program } = fc.letrec<{ statement: string; program: string }>((tie) => ({
  program: fc.array(tie('statement'), { minLength: 1, maxLength: 4 }).map((statements) => statements.join('\n')),
  statement: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    fc.tuple(name, value).map(([to, text]) => `${to}=${text}`),
    fc.tuple(name, value).map(([to, text]) => `${to}+=${text}`),
    fc.tuple(name, value).map(([to, text]) => `declare ${to}=${text}`),
    fc.tuple(name, value).map(([to, text]) => `export ${to}=${text}`),
    fc.tuple(name, value).map(([to, text]) => `read -r ${to} <<< ${text}`),
    fc.tuple(name, value).map(([to, text]) => `printf -v ${to} %s ${text}`),
    fc.tuple(name, value).map(([to, text]) => `${to}=(${text})`),
    fc.tuple(name, value).map(([to, text]) => `: \${${to}:=${text}}`),
    name.map((to) => `unset ${to}`),
    value.map((text) => `set -- ${text} dist`),
    fc.constantFrom('shift', 'f', 'g', 'true', 'return', 'break', 'exit', 'set -e'),
    fc.tuple(fc.constantFrom('f', 'g'), value).map(([called, text]) => `${called} ${text}`),
    fc.tuple(name, value, fc.constantFrom('f', 'g')).map(([to, text, called]) => `${to}=${text} ${called}`),
    name.map((of) => `rm -rf $${of}`),
    value.map((text) => `rm -rf ${text}`),
    value.map((text) => `d() { rm -rf "$1"; }; d ${text}`),
    fc
      .tuple(condition, tie('program'), tie('program'))
      .map(([when, yes, no]) => `if ${when}; then ${yes}\nelse ${no}\nfi`),
    fc.tuple(condition, tie('statement')).map(([when, then]) => `${when} && ${then}`),
    fc.tuple(condition, tie('statement')).map(([when, then]) => `${when} || { ${then}\n}`),
    fc
      .tuple(name, value, value, tie('program'))
      .map(([each, one, two, body]) => `for ${each} in ${one} ${two}; do ${body}\ndone`),
    fc.tuple(condition, tie('program')).map(([when, body]) => `while ${when}; do ${body}\nbreak; done`),
    fc
      .tuple(value, literal, tie('program'), tie('program'))
      .map(([of, text, yes, no]) => `case ${of} in ${text}) ${yes}\n;; *) ${no}\n;; esac`),
    fc.tuple(fc.constantFrom('f', 'g'), tie('program')).map(([called, body]) => `${called}() { ${body}\n}`),
    fc
      .tuple(fc.constantFrom('f', 'g'), name, tie('program'))
      .map(([called, own, body]) => `${called}() { local ${own}=$1\n${body}\n}; ${called} dist`),
    tie('program').map((body) => `{ ${body}\n}`),
    tie('program').map((body) => `( ${body}\n)`),
    tie('program').map((body) => `eval ${quoted(body)}`),
    tie('program').map((body) => `bash -c ${quoted(body)} - src`),
    tie('program').map((body) => `trap ${quoted(body)} EXIT`),
    tie('program').map((body) => `echo src | { ${body}\n}`),
    fc.tuple(name, tie('program')).map(([to, body]) => `echo src | while read -r ${to}; do ${body}\ndone`),
    fc.tuple(name, tie('program')).map(([to, body]) => `${to}=$( ${body}\necho src)`),
  ),
}));

test('a deletion by bash needs an approval, whatever the origin of the name', () => {
  let deleted = 0;
  fc.assert(
    fc.property(program, name, (text, last) => {
      const command = `${text}\nrm -rf $${last}`;
      if (!deletes(command)) return;
      deleted += 1;
      const { ceiling } = assessRisk(
        { tool: { tool_id: 'shell.run', category: 'write' }, args: { command }, resources: [] },
        grammar,
      );
      expect({ command, seen: ceiling !== 'none' }).toEqual({ command, seen: true });
    }),
    { numRuns: RUNS },
  );
  expect(deleted).toBeGreaterThan(RUNS / 30);
}, 7_200_000);
