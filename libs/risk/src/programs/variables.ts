// SPDX-License-Identifier: Apache-2.0
import { field, isExact, UNKNOWN, UNSET, withoutMarkers, type Field } from '../shell/field.ts';
import type { Value } from '../shell/scope.ts';
import type { Shell } from '../shell/shell.ts';
import { NOTHING } from '../shell/source.ts';
import { noteCode } from './code.ts';
import { noteGitSetting } from './git.ts';

/*
 * Variables that contain options of programs, or commands that programs run; their words are read accordingly. They
 * form families: any program may start the value of `…_EDITOR` or `…_PAGER`.
 */

/** The value is a command. */
const COMMANDS = new RegExp(
  [
    String.raw`^(?:\w*(?:EDITOR|PAGER|_RSH|_ASKPASS|_BROWSER|_SSH_COMMAND|_PROXY_COMMAND|_WRAPPER|_LAUNCHER|_RUNNER|_DIFF_CMD|_CREDENTIAL_HELPER)`,
    'VISUAL|BROWSER|PROMPT_COMMAND|LESSOPEN|LESSCLOSE|SVN_SSH|GIT_SSH|GIT_EXTERNAL_DIFF|GIT_DIFF_PATH|RSYNC_CONNECT_PROG|FZF_DEFAULT_COMMAND|CC|CXX|CPP|RUSTC|RUSTDOC|FCEDIT|MAKE|npm_config_(?:script_shell|git|shell)|NPM_CONFIG_(?:SCRIPT_SHELL|GIT|SHELL))$',
  ].join('|'),
);

/** The value is code that a shell, an interpreter or an editor reads first. */
const CODE: readonly (readonly [RegExp, string])[] = [
  [/^LUA_INIT(?:_\d+_\d+)?$/, 'lua'],
  [/^PERL5DB$/, 'perl'],
  [/^(?:VIMINIT|EXINIT|NVIM_INIT)$/, 'vim'],
];

/** The value is options of a program, as on its command line. */
const OPTIONS: Readonly<Record<string, string>> = {
  TAR_OPTIONS: 'tar',
  MAKEFLAGS: 'make',
  GNUMAKEFLAGS: 'make',
  NODE_OPTIONS: 'node',
  PERL5OPT: 'perl',
  RUBYOPT: 'ruby',
  GREP_OPTIONS: 'grep',
  RIPGREP_OPTIONS: 'rg',
  ZIPOPT: 'zip',
  UNZIP: 'unzip',
  GOFLAGS: 'go',
  FZF_DEFAULT_OPTS: 'fzf',
};

/** The value is a file that is loaded and run, or a library. */
const LOADED =
  /^(?:LD_(?:PRELOAD|AUDIT|DEBUG_OUTPUT|PROFILE_OUTPUT)|DYLD_INSERT_LIBRARIES|BASH_ENV|ZDOTDIR|PYTHONSTARTUP|GCONV_PATH|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG(?:_GLOBAL|_SYSTEM)?|GIT_CONFIG_PARAMETERS|MAKEFILES|INPUTRC|PHPRC|PHP_INI_SCAN_DIR|R_PROFILE(?:_USER)?|R_ENVIRON(?:_USER)?|VIMRUNTIME|MYVIMRC|WGETRC|CURL_HOME|SCREENRC|PYTHONBREAKPOINT|BASH_LOADABLES_PATH|OPENSSL_CONF|OPENSSL_ENGINES|OPENSSL_MODULES)$/;
/** Options of a virtual machine that load code. */
const AGENTS = /^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|SBT_OPTS)$/;
/** Search paths for libraries and modules. A directory of the workspace belongs to the project. */
const SEARCHED =
  /^(?:LD_LIBRARY_PATH|DYLD_(?:LIBRARY|FALLBACK_LIBRARY|FRAMEWORK)_PATH|PYTHONPATH|PYTHONHOME|PERL5LIB|PERLLIB|RUBYLIB|NODE_PATH|CLASSPATH|LUA_C?PATH(?:_\d+_\d+)?|AWKPATH|AWKLIBPATH|GEM_PATH)$/;
/** A search path for programs with a world-writable directory finds other programs than the usual ones. */
const FOUND_FIRST = /^(?:\.?:|\/tmp\/|\/var\/tmp\/|\/dev\/shm\/)/;
const ANYBODYS = /(?:^|:)\/(?:tmp|var\/tmp|dev\/shm)(?:\/|:|$)/;

/** Values for no program, or for the usual one. */
const USUAL = /^(?:|cat|less|more|true|:|false|0|1|\/dev\/null|\/bin\/true|\/bin\/cat|\/bin\/false|\/usr\/bin\/true)$/;

/** The values of the other variables of the same command, which override those of the scope. */
export type Others = (name: string) => readonly Value[] | undefined;

/** Notes how a variable affects the programs that are started from here on; it is assumed to be set on purpose. */
export function noteVariable(
  name: string,
  values: readonly Value[],
  shell: Shell,
  others: Others = () => undefined,
): void {
  shell.meter.steps(values.length);
  if (/^HIST(?:FILE|SIZE|FILESIZE)$/.test(name)) shell.act('trace_removal', 'the shell', name);
  if (/^BASH_FUNC_/.test(name)) for (const value of values) shell.script(`f${value.join(' ')}`, NOTHING);
  for (const value of values) noteValue(name, value.join(' '), shell);
  const [, part = '', number = ''] = /^GIT_CONFIG_(KEY|VALUE)_(\d+)$/.exec(name) ?? [];
  if (part !== '')
    notePair(
      part,
      values,
      (wanted) => others(`GIT_CONFIG_${wanted}_${number}`) ?? shell.scope.possible(`GIT_CONFIG_${wanted}_${number}`),
      shell,
    );
}

/** A setting of git consists of two variables, either of which may be set first. */
function notePair(
  part: string,
  values: readonly Value[],
  other: (part: 'KEY' | 'VALUE') => readonly Value[],
  shell: Shell,
): void {
  const [keys, texts] = part === 'KEY' ? [values, other('VALUE')] : [other('KEY'), values];
  for (const key of keys.map((value) => value.join(' '))) {
    for (const text of texts.map((value) => value.join(' '))) {
      if (withoutMarkers(key) === '' && key.includes(UNSET)) continue;
      if (isExact(key)) noteGitSetting(key, text, shell);
      else shell.act('run_unknown', 'git', `${key}=${text}`);
    }
  }
}

function noteValue(name: string, text: string, shell: Shell): void {
  if (/^PS[0124]$/.test(name)) noteShownPrompt(shell.scope.maySetBefore ? text : text.replaceAll(UNSET, ''), shell);
  if (text === '' || text === UNSET) return;
  if (name === 'PATH' && FOUND_FIRST.test(text)) shell.act('run_unknown', name, text);
  if (SEARCHED.test(name) && (ANYBODYS.test(text) || text.startsWith(UNKNOWN))) shell.act('run_unknown', name, text);
  if (AGENTS.test(name) && /-javaagent|-agentlib|-agentpath|-XX:(?:On\w+|Flags)=|-Xbootclasspath|@/.test(text))
    shell.act('run_unknown', name, text);
  // A file of the workspace may contain the project's own settings; the programs that it starts are unknown either way.
  // `ENV` is a usual name in deployments too.
  if (!USUAL.test(text) && (LOADED.test(name) || (name === 'ENV' && /[/$`]/.test(text))))
    shell.act('run_unknown', name, text);
  if (COMMANDS.test(name) && !USUAL.test(text)) shell.script(text.replace(/^\|+-?/, ''), NOTHING);
  const language = CODE.find(([names]) => names.test(name))?.[1];
  if (language === 'vim') shell.invoke([field('vim'), field('-c'), field(text)], NOTHING);
  else if (language !== undefined && !text.startsWith('@')) noteCode(language, text, shell);
  const program = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (program !== undefined) shell.invoke([field(program), ...optionWords(program, text)], NOTHING);
}

/** A prompt runs its substitutions each time that it is shown. */
function noteShownPrompt(text: string, shell: Shell): void {
  if (!isExact(text)) shell.act('evaluation', 'the shell', text);
  shell.script(`: "${text}"`, NOTHING);
}

/** The words of the value. A program that takes its options in clusters may accept them without a dash. */
function optionWords(program: string, text: string): Field[] {
  // Quotes group a word, and aren't a part of it.
  const words = [...text.matchAll(/(?:[^\s"'\\]|\\[\s\S]|"[^"]*"|'[^']*'|["'])+/g)].map(([word]) =>
    word.replace(/["']/g, ''),
  );
  return words.map((word, index) =>
    field(program === 'make' && index === 0 && /^[a-zA-Z]+$/.test(word) ? `-${word}` : word),
  );
}

/** Parses `NAME=value`; undefined for any other word. */
export function assignedIn({ text }: Field): readonly [string, string] | undefined {
  const [, name, value = ''] = /^([A-Za-z_][\w%()]*)=([\s\S]*)$/.exec(text) ?? [];
  return name === undefined ? undefined : [name, value];
}

/** Notes variables in a program's words of the form `NAME=value`. */
export function noteAssignedWords(words: readonly Field[], shell: Shell): void {
  const given = new Map(
    words.flatMap((word) => {
      const pair = assignedIn(word);
      return pair === undefined ? [] : [pair];
    }),
  );
  for (const [name, value] of given)
    noteVariable(name, [[value]], shell, (other) => (given.has(other) ? [[given.get(other) ?? '']] : undefined));
  // The next program is found by it (`start.ts`).
  const bun = given.get('BUN_BE_BUN');
  if (bun !== undefined) shell.scope.set('BUN_BE_BUN', [bun]);
}
