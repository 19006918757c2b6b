// SPDX-License-Identifier: Apache-2.0
import { DOWNLOADED, isExact, withoutMarkers, type Field } from '../shell/field.ts';
import { takeOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, NOTHING, textOf, type Source } from '../shell/source.ts';

/*
 * Code of other languages isn't parsed. Calls that delete, or that start a program, are recognised by their names followed by what makes
 * them a call; strings handed to a shell are followed as commands.
 */

const DELETES = new RegExp([
  String.raw`\brmtree\s*\(`, String.raw`\bos\.(?:remove|unlink|rmdir|removedirs|truncate)\s*\(`, String.raw`\.unlink\s*\(`, String.raw`\b(?:rmSync|rmdirSync|unlinkSync|truncateSync|rmdir|unlink|rm)\s*\(`,
  String.raw`\bFileUtils\.(?:rm|remove)\w*`, String.raw`\bFile\.(?:delete|unlink)\b`, String.raw`\bDir\.(?:delete|rmdir|unlink)\b`, String.raw`\bremove_tree\b`, String.raw`\bunlink\b\s*[^=\s,;)]`,
  String.raw`\bRemove-Item\b`, String.raw`\b(?:removeSync|emptyDirSync|rimraf|deleteSync)\s*\(`,
].join('|'));
const STARTS = /\b(?:os\.(?:system|popen|exec\w*|spawn\w*)|subprocess\.\w+|Popen|child_process|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|system|popen|shell_exec|passthru|proc_open|Deno\.(?:run|Command)|Bun\.spawn\w*|IO\.popen|Open3)\b\s*[(["'\s.]|\bqx[\s({/]|%x[({[]|`[^`]+`/;
const STRINGS = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`|(?:qx|%x)\s*[({[/]([^)}\]/]*)/g;
/** Code put together at run time: what it does isn't in the text. */
const OBFUSCATED = /\b(?:b64decode|base64|fromhex|unhexlify|atob|codecs\.decode|marshal|__import__|getattr)\b|\bBuffer\.from\([^)]*(?:base64|hex)/;

/** Content of the network that is evaluated. */
const EVALUATES = /\b(?:eval|exec|Function|instance_eval)\b/;
const FETCHES = /https?:\/\/|\burlopen\b|\bfetch\s*\(|\b(?:curl|wget)\b|\brequests\.get\b/;
/** A process that doubles itself in a loop. */
const FORKS = /\bfork\b\s*(?:\(\s*\))?\s*(?:while|until|;?\s*redo)|(?:while|until|for|loop)\b[^;]*\bfork\b|\bos\.fork\s*\(/;

/** Notes what code of another language calls. */
export function noteCode(language: string, code: string, shell: Shell): void {
  if (code.includes(DOWNLOADED)) shell.act('run_downloaded', language, code);
  else if (withoutMarkers(code).trim() === '' && !isExact(code)) shell.act('run_unknown', language, code);
  if (DELETES.test(code)) shell.act('code', language, DELETES.exec(code)?.[0] ?? language);
  if (FORKS.test(code)) shell.act('code', language, FORKS.exec(code)?.[0] ?? language);
  if (EVALUATES.test(code) && FETCHES.test(code)) shell.act('run_downloaded', language, code);
  if (!STARTS.test(code)) return;
  if (OBFUSCATED.test(code)) shell.act('code', language, OBFUSCATED.exec(code)?.[0] ?? language);
  const strings = [...code.matchAll(STRINGS)].map(([, ...groups]) => groups.find((group) => group !== undefined) ?? '');
  // A list of arguments is a command in pieces, so the strings are followed one by one and as a line.
  for (const text of new Set([...strings, strings.join(' ')])) if (/\s/.test(text)) shell.script(text, NOTHING);
}

/** `-c code`, `-e code`, a file, or code on the input. */
function interpreter(flags: readonly string[], modules: readonly string[] = []): Reading {
  return ({ name, args, stdin }, shell) => {
    const { operands, allValues, flags: given } = takeOptions(args, [...flags, ...modules, '-W', '-X', '-I', '-r', '--require', '--import', '--loader'], true);
    const code = flags.flatMap((flag) => allValues.get(flag) ?? []);
    for (const { text } of code) noteCode(name, text, shell);
    if (code.length > 0 || modules.some((flag) => given.has(flag))) return ANYTHING;
    const [file] = operands;
    if (file && file.text !== '-' && file.text !== '/dev/stdin') return runFile(name, file, shell);
    return runInput(name, stdin, shell);
  };
}

function runFile(name: string, file: Field, shell: Shell): Source {
  const path = shell.path(file);
  const content = file.source ?? (path === undefined ? undefined : shell.scope.files.get(path));
  return content ? runInput(name, content, shell) : ANYTHING;
}

function runInput(name: string, input: Source, shell: Shell): Source {
  if (input.kind === 'nothing') return ANYTHING;
  if (input.kind === 'text' && input.decoded) shell.act('run_decoded', name, input.text);
  noteCode(name, textOf(input), shell);
  return ANYTHING;
}

const python = interpreter(['-c'], ['-m']);
const node = interpreter(['-e', '--eval', '-p', '--print', '-pe']);
const perl = interpreter(['-e', '-E'], ['-M']);

/** An awk program can start commands and write files; without either it only prints. */
const awk: Reading = ({ name, args, stdin }, shell) => {
  const [program] = takeOptions(args, ['-F', '-v', '-f', '--field-separator', '--assign', '--file'], true).operands;
  const code = program?.text ?? '';
  if (/\bsystem\s*\(|\|\s*getline|\|\s*"/.test(code)) {
    const strings = [...code.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text);
    for (const text of strings) shell.script(text, ANYTHING);
    if (!/^[^$]*system\s*\(\s*"[^"]*"\s*\)[^$]*$/.test(code)) shell.act('run_unknown', name, code);
  }
  return stdin.kind === 'downloaded' ? stdin : ANYTHING;
};

/** An `e` command, or a substitution with the flag `e`: GNU sed runs what the pattern space holds. */
const SED_RUNS = /(?:^|[;{}\n])\s*(?:\d+|\$|\/[^/]*\/)?\s*e(?:\s|$)|(?:^|[;{}\n]|\d|\/)\s*s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiImM0-9]*e/;

const sed: Reading = ({ name, args, stdin }, shell) => {
  const options = takeOptions(args, ['-e', '--expression', '-f', '--file']);
  const scripts = [...(options.allValues.get('-e') ?? []), ...(options.allValues.get('--expression') ?? [])];
  const program = scripts.length > 0 ? scripts : options.operands.slice(0, 1);
  for (const { text } of program) if (SED_RUNS.test(text)) shell.act('run_unknown', name, text);
  return stdin.kind === 'downloaded' ? stdin : ANYTHING;
};

/** Editors run what follows `!`. */
const editor: Reading = ({ name, args, stdin }, shell) => {
  const options = takeOptions(args, ['-c', '--cmd', '-S', '-u']);
  for (const { text } of options.allValues.get('-c') ?? []) {
    const command = /^:?\s*(?:%|\d+)?!(.*)$/s.exec(text)?.[1] ?? /\bsystem\((['"])(.*)\1\)/s.exec(text)?.[2];
    if (command !== undefined) shell.script(command, ANYTHING);
  }
  if (name === 'ed' || name === 'ex') for (const line of textOf(stdin).split('\n')) if (line.startsWith('!')) shell.script(line.slice(1), NOTHING);
  return ANYTHING;
};

export const CODE: Readonly<Record<string, Reading>> = {
  python, python2: python, python3: python, pypy3: python, ipython: python, node, nodejs: node, deno: interpreter(['eval']), bun: node, tsx: node, 'ts-node': node,
  perl, ruby: interpreter(['-e']), php: interpreter(['-r']), pwsh: interpreter(['-c', '-Command', '-EncodedCommand']), powershell: interpreter(['-c', '-Command', '-EncodedCommand']), lua: interpreter(['-e']), Rscript: interpreter(['-e']), julia: interpreter(['-e', '-E']), osascript: interpreter(['-e']),
  awk, gawk: awk, mawk: awk, nawk: awk, sed, gsed: sed, vim: editor, vi: editor, nvim: editor, ex: editor, ed: editor,
};
