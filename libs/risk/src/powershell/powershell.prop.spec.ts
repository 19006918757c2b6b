// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { bundledGrammar } from '../bundled-grammar.contract.ts';
import { readCommand } from '../read-command.ts';
import type { ShellGrammar } from '../shell/grammar.ts';

let grammar: ShellGrammar;
beforeAll(async () => {
  grammar = await bundledGrammar();
});

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const kindsOf = (command: string): ReadonlySet<string> =>
  new Set(readCommand({ command, cwd: undefined, stdin: undefined }, grammar).acts.map(({ kind }) => kind));

/** Every prefix of a parameter's name from its shortest unique one. */
const beginnings = (name: string, shortest: number): readonly string[] =>
  Array.from({ length: name.length - shortest + 1 }, (_value, index) => name.slice(0, shortest + index));
const anyCase = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((char, index) => (upper[index] ? char.toUpperCase() : char)).join(''));

const REMOVERS = [
  'Remove-Item',
  'ri',
  'rm',
  'del',
  'erase',
  'rd',
  'rmdir',
  'Microsoft.PowerShell.Management\\Remove-Item',
];
const remover = fc.constantFrom(...REMOVERS).chain(anyCase);
const recurse = fc
  .constantFrom(...beginnings('recurse', 1))
  .chain(anyCase)
  .map((name) => `-${name}`);
const force = fc.constantFrom('', ...beginnings('force', 2).map((name) => ` -${name}`));
const target = fc.constantFrom(
  'src',
  './src',
  '"src"',
  "'src'",
  '.\\src',
  '-Path src',
  '-pat src',
  '-LiteralPath src',
  '-lp src',
  '-Path:src',
);

const script = fc
  .record({ remover, recurse, force, target })
  .map((one) => `${one.remover} ${one.target} ${one.recurse}${one.force}`);
/** Ways to run a script within another. */
const wrapped = fc
  .tuple(
    script,
    fc.constantFrom(
      (text: string) => text,
      (text: string) => `if ($true) { ${text} }`,
      (text: string) => `& { ${text} }`,
      (text: string) => `1..3 | ForEach-Object { ${text} }`,
      (text: string) => `1..3 | % { ${text} }`,
      (text: string) => `function f { ${text} }; f`,
      (text: string) => `try { ${text} } catch { }`,
      (text: string) => `Invoke-Command -ScriptBlock { ${text} }`,
      (text: string) => `iex '${text.replaceAll("'", "''")}'`,
      (text: string) => `$x = { ${text} }; & $x`,
      (text: string) => `foreach ($i in 1,2) { ${text} }`,
    ),
  )
  .map(([text, wrap]) => wrap(text));
const starter = fc.constantFrom(
  'pwsh -c',
  'pwsh -Command',
  'pwsh -NoProfile -NonInteractive -command',
  'powershell -com',
  'pwsh -nop -noni -c',
  'powershell.exe -ExecutionPolicy Bypass -c',
);

describe('a deletion in PowerShell', () => {
  test('is detected with any alias, parameter prefix, case and wrapping', () => {
    fc.assert(
      fc.property(wrapped, starter, (text, start) => {
        const kinds = kindsOf(`${start} ${quoted(text)}`);
        expect(kinds.has('delete') || kinds.has('run_unknown')).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test('is parsed where nothing hides it', () => {
    fc.assert(
      fc.property(script, starter, (text, start) => {
        expect(kindsOf(`${start} ${quoted(text)}`)).toContain('delete');
      }),
      { numRuns: 200 },
    );
  });

  test('is detected after any prefix of -EncodedCommand', () => {
    fc.assert(
      fc.property(
        script,
        fc.constantFrom('e', 'ec', 'en', 'enc', 'enco', 'encodedc', 'encodedcommand').chain(anyCase),
        (text, parameter) => {
          expect(kindsOf(`pwsh -${parameter} ${Buffer.from(text, 'utf16le').toString('base64')}`)).toContain('delete');
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('any text', () => {
  test('is read without an error, as PowerShell, as a command prompt and as SQL', () => {
    const part = fc.constantFrom(
      'Remove-Item',
      'src',
      '$x',
      '=',
      '{',
      '}',
      '(',
      ')',
      '|',
      ';',
      '%',
      '"',
      "'",
      '`',
      '@{',
      '@(',
      '$(',
      '-r',
      ',',
      '[io.file]',
      '::',
      'Delete',
      '.',
      '#',
      '<#',
      '#>',
      '\n',
      'if',
      'foreach',
      'DELETE FROM t',
      '/*',
      '*/',
      '--',
      '\\!',
      '$$',
    );
    const text = fc.oneof(
      fc.array(part, { maxLength: 20 }).map((parts) => parts.join(' ')),
      fc.string({ maxLength: 60 }),
    );
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('pwsh -c', 'cmd /c', 'psql -c', 'mysql -e', 'sqlite3 a.db', 'sqlcmd -Q'),
        (one, start) => {
          expect(() => kindsOf(`${start} ${quoted(one.replaceAll('\0', ''))}`)).not.toThrow();
        },
      ),
      { numRuns: 500 },
    );
  });
});
