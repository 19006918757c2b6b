// SPDX-License-Identifier: Apache-2.0
// A shell itself is the reference for its reading of a command: a real bash runs every command here.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReferences, secretVariable } from '@writ/contract';
import fc from 'fast-check';
import { bundledGrammar } from '../bundled-grammar.contract.ts';
import type { ShellGrammar } from '../shell/grammar.ts';
import { placeSecrets } from './place-secrets.ts';

let grammar: ShellGrammar;
let folder: string;
beforeAll(async () => {
  grammar = await bundledGrammar();
  folder = mkdtempSync(join(tmpdir(), 'writ-placing-'));
  // Prints its arguments, and the content of `GIVEN` and of its input.
  writeFileSync(
    join(folder, 'tell'),
    '#!/bin/sh\nprintf \'%s\\0\' "$@" "given=$GIVEN"\n[ "$1" = input ] && cat\nexit 0\n',
  );
  chmodSync(join(folder, 'tell'), 0o755);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const bash = (command: string, env: Record<string, string>): string =>
  execFileSync('bash', ['-c', command], {
    cwd: folder,
    env: { PATH: `${folder}:/usr/bin:/bin`, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString('utf8');

/** Values that people rarely write. */
const hostile = fc.constantFrom(
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned;',
  "'; touch pwned; '",
  '"; touch pwned; "',
  '$((1+1))',
  '${HOME}',
  '*',
  '~',
  '-rf',
  '\\',
  "\\'",
  '\n',
  ' ',
  '\t',
  '!',
  '#',
  '&',
  '|',
  '>pwned',
  'a[$(touch pwned)]',
  '{a,b}',
  '%s',
  '\u{1F512}',
  '\r\n',
  'E',
);
const value = fc
  .array(fc.oneof(hostile, fc.string({ unit: 'grapheme', maxLength: 8 }), fc.string({ maxLength: 8 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed())
  .filter((text) => text !== '');
const S = '${secret:KEY}';
const VARIABLE = `\${${secretVariable('KEY')}}`;

/** Accepted positions, with the program's expected arguments for a value. */
const PLACES: readonly (readonly [string, (value: string) => readonly string[]])[] = [
  [`tell ${S}`, (v) => [v, 'given=']],
  [`tell a${S}b`, (v) => [`a${v}b`, 'given=']],
  [`tell "a ${S} b"`, (v) => [`a ${v} b`, 'given=']],
  [`tell 'a $x ${S}"'`, (v) => [`a $x ${v}"`, 'given=']],
  [`tell $'a\\n${S}\\tb'`, (v) => [`a\n${v}\tb`, 'given=']],
  [`tell {x,${S}}`, (v) => ['x', v, 'given=']],
  [`GIVEN=x${S} tell`, (v) => [`given=x${v}`]],
  [`export GIVEN="${S}"; tell`, (v) => [`given=${v}`]],
  [`GIVEN=${S}; export GIVEN; tell "$GIVEN"`, (v) => [v, `given=${v}`]],
  [`GIVEN='${S}' bash -c 'tell "$GIVEN"'`, (v) => [v, `given=${v}`]],
  [`if true; then ( tell "${S}" | cat ); fi`, (v) => [v, 'given=']],
  [`f() { tell ${S}; }; f`, (v) => [v, 'given=']],
  [`tell $${S} "$${S}" '$${S}'`, () => [S, S, S, 'given=']],
];

test('any value reaches the program byte for byte from every accepted position, and no other command runs', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(...PLACES), (secret, [command, told]) => {
      const placed = placeSecrets(command, grammar);
      expect(placed).toMatchObject({ ok: true });
      if (!placed.ok) return;
      expect(bash(placed.command, { [secretVariable('KEY')]: secret })).toBe(
        told(secret)
          .map((word) => `${word}\0`)
          .join(''),
      );
      expect(readdirSync(folder)).toEqual(['tell']);
    }),
    { numRuns: 250 },
  );
}, 120_000);

test('any value reaches the input unchanged', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(`tell input <<< ${S}`, `tell input <<END\n${S}\nEND`), (secret, command) => {
      const placed = placeSecrets(command, grammar);
      expect(placed).toMatchObject({ ok: true });
      if (placed.ok)
        expect(bash(placed.command, { [secretVariable('KEY')]: secret })).toBe(`input\0given=\0${secret}\n`);
      expect(readdirSync(folder)).toEqual(['tell']);
    }),
    { numRuns: 80 },
  );
}, 120_000);

const piece = fc.constantFrom(
  S,
  S,
  'tell',
  ' ',
  '"',
  "'",
  '$(',
  ')',
  '`',
  '\\',
  '$',
  '#',
  ';',
  '|',
  '<<E\n',
  '\nE\n',
  '\n',
  '{',
  '}',
  '${x:-',
  '((',
  '))',
  '[[ ',
  ' ]]',
  'x=',
  'a',
  "$'",
  '>',
  '<',
  '&&',
  '!',
  '; bash -c ',
  '; eval ',
  '|bash ',
  '; bash <<<',
);

const attack = fc.constantFrom(
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned;',
  "'; touch pwned; '",
  '"; touch pwned; "',
  '\ntouch pwned\n',
  'a[$(touch pwned)]',
);

test('accepted random commands run no part of the value', () => {
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => `tell ${pieces.join('')}`),
      attack,
      (command, secret) => {
        const placed = placeSecrets(command, grammar);
        if (!placed.ok || placed.names.length === 0) return;
        accepted += 1;
        const wanted = readReferences(command).filter(({ literal }) => !literal).length;
        expect(placed.command.split(VARIABLE).length - 1).toBe(wanted);
        // It may fail; only its side effects are checked.
        try {
          bash(placed.command, { [secretVariable('KEY')]: secret });
        } catch {
          /* a random command fails */
        }
        const left = readdirSync(folder).filter((name) => name === 'pwned' || name.includes('touch'));
        expect({ command, left }).toEqual({ command, left: [] });
        for (const name of readdirSync(folder)) if (name !== 'tell') rmSync(join(folder, name), { recursive: true });
      },
    ),
    { numRuns: 6_000 },
  );
  expect(accepted).toBeGreaterThan(100);
}, 120_000);

/** How the value is assigned to the variable `x`, and the result used. */
const ways = fc.constantFrom(
  `x=${S}`,
  `export x=${S}`,
  `y=${S}; x=$y`,
  `x=$(tell ${S} | head -c 200)`,
  `f() { x=$1; }; y=${S}; f "$y"`,
  `read -r x <<< ${S}`,
  `x=\n; x+=${S}`,
  `y=${S}; w=("$y"); x=\${w[0]}`,
  `y=${S}; for x in "$y"; do :; done`,
);
const uses = fc.constantFrom(
  'tell $x',
  'tell "$x"',
  'echo $((x))',
  '((x))',
  'let x',
  'echo ${!x}',
  '[[ -v $x ]]',
  '[[ $x -gt 0 ]]',
  'test -v "$x"',
  'echo ${x@P}',
  'echo ${a[$x]}',
  'a[x]=1',
  'echo ${HOME:x}',
  'printf -v "$x" y',
  'unset "$x"',
  'read "$x" <<< y',
  'declare -i n; n=$x',
  'declare -n r=$x; echo $r',
  'eval "$x"',
  'eval "tell $x"',
  'bash -c "$x"',
  '$x',
  "bash -c 'echo $((x))'",
  'PS4=$x; set -x; :',
  'trap "$x" EXIT',
  'echo "$x" | bash',
  'bash <<< "$x"',
  'bash <<E\n$x\nE',
  'compgen -W "$x"',
  'case $x in a) ;; esac',
  'tell "${x#a}"',
  'tell "${x:-b}"',
  'x=1; echo $((x))',
);
const around = fc.constantFrom(
  (c: string) => c,
  (c: string) => `(${c}\n)`,
  (c: string) => `f() { ${c}\n}; f`,
  (c: string) => `if true; then ${c}\nfi`,
  (c: string) => `for i in 1; do ${c}\ndone`,
  (c: string) => `tell "$(${c}\n)"`,
);

test('no use of a variable makes code of a value in an accepted command', () => {
  let accepted = 0;
  fc.assert(
    fc.property(ways, uses, around, attack, (way, use, wrap, secret) => {
      const command = wrap(`${way}; ${use}`);
      const placed = placeSecrets(command, grammar);
      if (!placed.ok) return;
      accepted += 1;
      try {
        bash(placed.command, { [secretVariable('KEY')]: secret });
      } catch {
        /* some of them fail */
      }
      const left = readdirSync(folder).filter((name) => name === 'pwned');
      for (const name of readdirSync(folder)) if (name !== 'tell') rmSync(join(folder, name), { recursive: true });
      expect({ command, left }).toEqual({ command, left: [] });
    }),
    { numRuns: Number(process.env['WRIT_FUZZ_RUNS'] ?? 600) },
  );
  expect(accepted).toBeGreaterThan(20);
}, 7_200_000);
