// SPDX-License-Identifier: Apache-2.0
import { has, parseOptions } from '../shell/options.ts';
import type { Reading } from '../shell/shell.ts';
import { NOTHING } from '../shell/source.ts';

/** Modes that open a file to everyone, close it to everyone, or lend its owner's rights. */
const DRASTIC =
  /^(?:0+|0?[0-7]?(?:777|666|000)|[2-7][0-7]{3}|(?:a|o|ugo|go|og)*[+=][rwxX]*w[rwxX]*|a?-[rwx]+|(?:ugo|a)-\w*r\w*|[ugoa]*[+=]\w*s\w*)$/;

/** Set-user-id and set-group-id: whoever runs the file has its owner's rights. */
const LENDS_RIGHTS = /^(?:0?[2467][0-7]{3}|[ugoa]*[+=][rwxXt]*s\w*)$/;

const chmod: Reading = ({ name, args }, shell) => {
  // A mode may look like an option: `-x` removes a right.
  const words = args.filter(({ text }) => !/^-[rwxXst]+$/.test(text) || text === '-R');
  const options = parseOptions(words, ['--reference']);
  const recursive = has(options, '-R', '--recursive');
  const takesAway = words.length < args.length;
  const modeless = takesAway || has(options, '--reference');
  const drastic = takesAway || (!modeless && DRASTIC.test(options.operands[0]?.text ?? ''));
  // A workspace keeps no such bits.
  const lends = !modeless && LENDS_RIGHTS.test(options.operands[0]?.text ?? '');
  if (
    lends &&
    options.operands
      .slice(1)
      .some((path) => shell.zones(path).some((zone) => zone !== 'inside' && zone !== 'regenerable'))
  )
    shell.act('access_change', name, options.operands.map(({ text }) => text).join(' '));
  for (const path of options.operands.slice(modeless ? 0 : 1))
    for (const zone of shell.zones(path)) shell.act('mode', name, path.text, { zone, recursive, many: drastic });
  return NOTHING;
};

const chown: Reading = ({ name, args }, shell) => {
  const options = parseOptions(args, ['--reference', '--from']);
  const recursive = has(options, '-R', '--recursive');
  for (const path of options.operands.slice(has(options, '--reference') ? 0 : 1)) {
    for (const zone of shell.zones(path)) shell.act('owner', name, path.text, { zone, recursive });
  }
  return NOTHING;
};

/** Access control lists: `-b`, `-k` and `-x` remove entries, with `-R` for everything below. */
const setfacl: Reading = ({ name, args }, shell) => {
  const options = parseOptions(args, [
    '-m',
    '--modify',
    '-M',
    '--modify-file',
    '-x',
    '--remove',
    '-X',
    '--remove-file',
    '--set',
    '--set-file',
    '--restore',
  ]);
  for (const path of options.operands)
    for (const zone of shell.zones(path))
      shell.act('owner', name, path.text, { zone, recursive: has(options, '-R', '--recursive') });
  return NOTHING;
};

/** Attributes: `+i`, `-a` and `=` before the paths; they may look like options. */
const chattr: Reading = ({ name, args }, shell) => {
  const recursive = args.some(({ text }) => /^-[RVf]*R/.test(text));
  for (const path of args.filter(({ text }) => !/^[-+=]/.test(text)).slice(name === 'chflags' ? 1 : 0)) {
    for (const zone of shell.zones(path)) shell.act('owner', name, path.text, { zone, recursive });
  }
  return NOTHING;
};

/** Process 1 is the ancestor of all processes, and -1 means all of them; as the first argument `-1` is a signal. */
const kill: Reading = ({ name, args }, shell) => {
  const target = args.find(({ text }, index) => (index > 0 && text === '-1') || text === '1');
  if (target) shell.act('process_kill', name, target.text);
  return NOTHING;
};

/** Without these processes the machine is unusable. */
const OF_THE_MACHINE = new Set([
  'init',
  'systemd',
  'sshd',
  'dockerd',
  'containerd',
  'dbus-daemon',
  'launchd',
  'kthreadd',
  'NetworkManager',
  'systemd-logind',
  'Xorg',
  'gdm',
  'auditd',
  'rsyslogd',
]);

/** `pkill` and `killall` by a name that matches everything, or by a user. */
const killByName: Reading = ({ name, args }, shell) => {
  const options = parseOptions(args, [
    '-u',
    '-U',
    '--euid',
    '--uid',
    '--user',
    '-g',
    '-G',
    '-s',
    '-t',
    '-P',
    '--signal',
    '-o',
    '-y',
  ]);
  const everything = options.operands.some(
    ({ text, glob }) => glob || /^[.*^$?+]*$/.test(text) || OF_THE_MACHINE.has(text),
  );
  const ofUsers =
    options.operands.length === 0 &&
    args.length > 0 &&
    has(options, '-u', '-U', '--user', '--uid', '--euid', '-v', '--inverse');
  if (everything || ofUsers) shell.act('process_kill', name, args.map(({ text }) => text).join(' '));
  return NOTHING;
};

export const MODES: Readonly<Record<string, Reading>> = {
  kill,
  pkill: killByName,
  killall: killByName,
  skill: killByName,
  chmod,
  chown,
  chgrp: chown,
  setfacl,
  chattr,
  chflags: chattr,
};
