// SPDX-License-Identifier: Apache-2.0
import { field } from '../shell/field.ts';
import { has, parseOptions, type Options } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, NOTHING, textOf } from '../shell/source.ts';
import { noteWrite } from './write.ts';

const VALUES = [
  '-f',
  '-t',
  '-b',
  '-C',
  '-N',
  '-P',
  '-m',
  '-a',
  '-E',
  '-F',
  '-R',
  '-I',
  '-n',
  '-O',
  '-s',
  '-V',
  '-Y',
  '-D',
  '-w',
  '-Z',
  '-z',
];

/** A new pair of keys is written to the path after `-f`; ssh-keygen prompts before it overwrites an existing one. */
const sshKeygen: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(args, VALUES);
  const file = options.values.get('-f');
  if (has(options, '-l', '-y', '-e', '-i', '-F', '-B', '-H', '-Q', '-Y', '-L', '-R', '-r', '-s')) return undefined;
  if (file) noteWrite('place', name, file, shell);
  else if (/^y/im.test(textOf(stdin))) noteWrite('overwrite', name, field('/home/agent/.ssh/id_ed25519'), shell);
  return ANYTHING;
};

/** The commands that ssh and similar programs start on this machine to connect to another. */
export function noteSshCommands(options: Options, shell: Shell): void {
  for (const { text } of options.allValues.get('-o') ?? []) {
    const command = /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[=\s]\s*(.+)$/is.exec(text)?.[1];
    if (command !== undefined && command !== 'none') shell.script(command, NOTHING);
  }
}

export const KEYS: Readonly<Record<string, Reading>> = { 'ssh-keygen': sshKeygen };
