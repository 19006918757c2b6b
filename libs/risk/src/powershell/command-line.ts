// SPDX-License-Identifier: Apache-2.0
import { field, isExact, type Field, type Source } from '../shell/field.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, NOTHING, textOf } from '../shell/source.ts';

/** A parameter of `pwsh` itself: its name, its shortest accepted form, and whether it takes a value. */
interface Parameter {
  readonly name: string;
  /** further accepted forms, which are no prefix of the name, or too short for one */
  readonly also: readonly string[];
  readonly shortest: number;
  readonly takes: 'nothing' | 'value' | 'command' | 'encoded' | 'file' | 'commandWithArgs';
}

const parameter = (
  name: string,
  shortest: number,
  takes: Parameter['takes'],
  also: readonly string[] = [],
): Parameter => ({ name, shortest, takes, also });

/** In the order in which PowerShell tries them. */
const PARAMETERS: readonly Parameter[] = [
  parameter('version', 1, 'nothing'),
  parameter('help', 1, 'nothing', ['?']),
  parameter('login', 1, 'nothing'),
  parameter('noexit', 3, 'nothing'),
  parameter('noprofile', 3, 'nothing'),
  parameter('nologo', 3, 'nothing'),
  parameter('noninteractive', 4, 'nothing'),
  parameter('noprofileloadtime', 10, 'nothing'),
  parameter('interactive', 1, 'nothing'),
  parameter('sta', 3, 'nothing'),
  parameter('mta', 3, 'nothing'),
  parameter('socketservermode', 2, 'nothing', ['so']),
  parameter('servermode', 1, 'nothing'),
  parameter('sshservermode', 4, 'nothing'),
  parameter('namedpipeservermode', 3, 'nothing'),
  parameter('configurationname', 6, 'value'),
  parameter('configurationfile', 14, 'value'),
  parameter('custompipename', 3, 'value'),
  parameter('psconsolefile', 2, 'value'),
  parameter('settingsfile', 8, 'value'),
  parameter('commandwithargs', 8, 'commandWithArgs', ['cwa']),
  parameter('command', 1, 'command'),
  parameter('windowstyle', 1, 'value'),
  parameter('workingdirectory', 2, 'value', ['wd', 'wo']),
  parameter('file', 1, 'file'),
  parameter('isswait', 7, 'nothing'),
  parameter('outputformat', 1, 'value', ['of']),
  parameter('inputformat', 2, 'value', ['if']),
  parameter('executionpolicy', 2, 'value', ['ep']),
  parameter('encodedcommand', 1, 'encoded', ['ec']),
  parameter('encodedarguments', 8, 'value', ['ea']),
  parameter('removeworkingdirectorytrailingcharacter', 1, 'nothing'),
];

/** The parameter that PowerShell reads in a word: any long enough prefix of its name, in any case and with any dash. */
function parameterOf(word: string): Parameter | undefined {
  const key = /^(?:--?|\/|[\u2013-\u2015])([^\s].*)$/.exec(word)?.[1]?.toLowerCase();
  if (key === undefined) return undefined;
  return PARAMETERS.find(
    ({ name, also, shortest }) => also.includes(key) || (key.length >= shortest && name.startsWith(key)),
  );
}

/** `pwsh -Command text`, `-EncodedCommand`, `-File`, or a script on its input. */
export const powershell: Reading = ({ name, args, stdin }, shell) => {
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word === undefined) break;
    const found = parameterOf(word.text);
    const rest = args.slice(index + 1);
    // Windows reads a word that is no parameter as the beginning of a command, other systems as a file.
    if (found === undefined)
      return /^powershell/i.test(name) || /\s/.test(word.text)
        ? command(args.slice(index), stdin, shell)
        : file(name, word, stdin, shell);
    if (found.takes === 'command') return command(rest, stdin, shell);
    if (found.takes === 'commandWithArgs') return command(rest.slice(0, 1), stdin, shell);
    if (found.takes === 'encoded') return encoded(name, rest[0], stdin, shell);
    if (found.takes === 'file') return file(name, rest[0] ?? field('-'), stdin, shell);
    if (found.takes === 'value') index += 1;
  }
  return stdin.kind === 'nothing' ? ANYTHING : shell.powershell(textOf(stdin), NOTHING);
};

/** All following words are the command, as one text. */
function command(words: readonly Field[], stdin: Source, shell: Shell): Source {
  const text = words.map((word) => word.text).join(' ');
  return text === '-' ? shell.powershell(textOf(stdin), NOTHING) : shell.powershell(text, stdin);
}

/** Base64 of UTF-16. There is no honest reason to encode a visible command. */
function encoded(name: string, word: Field | undefined, stdin: Source, shell: Shell): Source {
  const text = word?.text ?? '';
  if (!isExact(text) || !/^[\w+/=\s-]*$/.test(text)) {
    shell.act('run_unknown', name, text);
    return ANYTHING;
  }
  const decoded = Buffer.from(text, 'base64').toString('utf16le');
  shell.act('run_decoded', name, decoded);
  return shell.powershell(decoded, stdin);
}

function file(name: string, path: Field, stdin: Source, shell: Shell): Source {
  if (path.text === '-') return shell.powershell(textOf(stdin), NOTHING);
  const at = shell.path(path);
  const content = path.source ?? (at === undefined ? undefined : shell.scope.files.get(at));
  if (content) return shell.powershell(textOf(content), stdin);
  if (!isExact(path.text)) shell.act('run_unknown', name, path.text);
  // A script of the workspace: its effect is examined instead.
  return ANYTHING;
}
