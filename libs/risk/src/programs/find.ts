// SPDX-License-Identifier: Apache-2.0
import { field, UNKNOWN, type Field, type Source } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { NOTHING } from '../shell/source.ts';
import { noteDeletions } from './delete.ts';
import { noteWrite } from './write.ts';

const NAMES = new Set(['-name', '-iname', '-path', '-ipath', '-wholename']);
/** Tests that select some files by a criterion other than a name. */
const FILTERS = new Set([
  '-mtime',
  '-mmin',
  '-atime',
  '-amin',
  '-ctime',
  '-cmin',
  '-size',
  '-empty',
  '-newer',
  '-user',
  '-group',
  '-perm',
  '-regex',
  '-iregex',
  '-links',
  '-inum',
]);
const COMMANDS = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const TO_FILE = new Set(['-fprint', '-fprint0', '-fls', '-fprintf']);

/** The results of `find`, as patterns below its starting points; deletions and commands in it are interpreted. */
export const find: Reading = ({ args, stdin }, shell) => {
  const begins = args.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HLPD]|^-O\d/.test(text));
  const starts = (begins < 0 ? args : args.slice(0, begins)).filter(({ text }) => !text.startsWith('-'));
  const tests = begins < 0 ? [] : args.slice(begins);
  const given = starts.length > 0 ? starts : [field('.')];
  const found = foundPaths(given, tests, shell);
  const onlyEmpties = onlyEmpty(tests);
  tests.forEach((test, index) => {
    if (test.text === '-delete' && !onlyEmpties)
      noteDeletions(
        'find -delete',
        found.flatMap((path) => deletedAs(path, given)),
        true,
        shell,
      );
    if (COMMANDS.has(test.text)) runOnFound(commandAfter(tests, index + 1), found, stdin, shell);
    if (TO_FILE.has(test.text)) noteWrite('overwrite', 'find', tests[index + 1] ?? field(UNKNOWN), shell);
  });
  return { kind: 'paths', paths: found };
};

/**
 * The found files as patterns. A name test counts unless it is negated. Without one, `find` finds the starting points
 * themselves, or, if another test selects among them, an unnamed part of the files below.
 */
function foundPaths(starts: readonly Field[], tests: readonly Field[], shell: Shell): Field[] {
  const names = tests.flatMap(({ text }, index) =>
    NAMES.has(text) && !NEGATIONS.has(tests[index - 1]?.text ?? '') ? [tests[index + 1] ?? field(UNKNOWN)] : [],
  );
  shell.meter.steps(starts.length * Math.max(1, names.length));
  if (names.length > 0 && alternatives(tests).every(choosesByName))
    return starts.flatMap(({ text }) => names.map((name) => field(`${text}/**/${below(name.text)}`, true)));
  const chosen = tests.some(({ text }) => FILTERS.has(text) || NEGATIONS.has(text) || NAMES.has(text));
  if (chosen) return starts.map(({ text }) => field(`${text}/**/[?]`, true));
  // Everything below a starting point, and unless only files are wanted the starting point itself.
  const contents = starts.map(({ text }) => field(`${text.replace(/\/$/, '')}/**/*`, true));
  return tests.some(({ text }, index) => text === '-type' && tests[index + 1]?.text !== 'd')
    ? contents
    : [...starts, ...contents];
}

/** A deletion of everything below a starting point counts as a deletion of the tree. */
const deletedAs = (path: Field, starts: readonly Field[]): readonly Field[] => {
  const start = path.text.endsWith('/**/*') ? path.text.slice(0, -'/**/*'.length) : undefined;
  return start === undefined ? [path] : starts.filter(({ text }) => text.replace(/\/$/, '') === start);
};

/** Empty files and directories hold nothing that could be lost. */
const onlyEmpty = (tests: readonly Field[]): boolean =>
  tests.some(({ text }, index) => text === '-empty' && !NEGATIONS.has(tests[index - 1]?.text ?? '')) &&
  alternatives(tests).length === 1;

const NEGATIONS = new Set(['!', '-not']);

/** The tests between one `-o` and the next. */
function alternatives(tests: readonly Field[]): readonly (readonly Field[])[] {
  const cuts = tests.flatMap(({ text }, index) => (text === '-o' || text === '-or' ? [index] : []));
  return [...cuts, tests.length].map((cut, index) => tests.slice(index === 0 ? 0 : (cuts[index - 1] ?? 0) + 1, cut));
}

/** An alternative without a name accepts everything, unless it only excludes directories. */
const choosesByName = (tests: readonly Field[]): boolean =>
  tests.some(
    ({ text }, index) => text === '-prune' || (NAMES.has(text) && !NEGATIONS.has(tests[index - 1]?.text ?? '')),
  );

/** A `-path` pattern may begin anywhere: only its end matters. */
const below = (name: string): string => name.replace(/^(\.?\*?\/)+/, '');

/** The words up to the `;` or `+` that ends a command. */
function commandAfter(tests: readonly Field[], start: number): readonly Field[] {
  let end = start;
  while (end < tests.length && tests[end]?.text !== ';' && tests[end]?.text !== '+') end += 1;
  return tests.slice(start, end);
}

function runOnFound(command: readonly Field[], found: readonly Field[], stdin: Source, shell: Shell): void {
  for (const path of found) {
    shell.meter.steps(command.length);
    shell.invoke(
      command.map((word) =>
        word.text === '{}'
          ? path
          : {
              ...word,
              text: filledIn(word.text, '{}', path.text, shell),
              glob: word.glob || (word.text.includes('{}') && path.glob),
            },
      ),
      stdin,
    );
  }
}

/** The text with a replacement for each mark. */
export function filledIn(text: string, mark: string, instead: string, shell: Shell): string {
  if (mark === '' || !text.includes(mark)) return text;
  const parts = text.split(mark);
  shell.meter.text(text.length + parts.length * instead.length);
  return parts.join(instead);
}

export const FINDING = { find, gfind: find, fd: fd(), fdfind: fd() };

/** `fd` finds by a regular expression; only an extension restricts the results. Its commands are interpreted. */
function fd(): Reading {
  return ({ args }, shell) => {
    const at = args.findIndex(({ text }) => /^(-x|-X|--exec|--exec-batch)$/.test(text));
    const options = parseOptions(at < 0 ? args : args.slice(0, at), [
      '-e',
      '--extension',
      '-t',
      '--type',
      '-d',
      '--max-depth',
      '-E',
      '--exclude',
      '-S',
      '--size',
      '-g',
      '--glob',
      '-j',
    ]);
    const extensions = [...(options.allValues.get('-e') ?? []), ...(options.allValues.get('--extension') ?? [])].map(
      ({ text }) => text,
    );
    const byPattern = /^\\?\.(\w+)\$$/.exec(options.operands[0]?.text ?? '')?.[1];
    const endings = extensions.length > 0 || byPattern === undefined ? extensions : [byPattern];
    const found = endings.length > 0 ? endings.map((ending) => field(`./**/*.${ending}`, true)) : [field(UNKNOWN)];
    const command = at < 0 ? [] : args.slice(at + 1);
    if (at >= 0) for (const path of found) shell.invoke(withFound(command, path), NOTHING);
    return endings.length > 0 ? { kind: 'paths', paths: found } : undefined;
  };
}

const withFound = (command: readonly Field[], path: Field): readonly Field[] =>
  command.some(({ text }) => text === '{}')
    ? command.map((word) => (word.text === '{}' ? path : word))
    : [...command, path];
