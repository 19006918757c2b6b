// SPDX-License-Identifier: Apache-2.0
import { parseOptions } from '../shell/options.ts';
import type { Field } from '../shell/field.ts';
import type { Invocation, Shell } from '../shell/shell.ts';
import { assignedIn, noteAssignedWords } from './variables.ts';
import { noteWrite } from './write.ts';

interface Wrapper {
  /** options that take a value */
  readonly values?: readonly string[];
  /** operands before the command itself, such as the time of `timeout` */
  readonly operands?: number;
  /** words that must come first, as in `poetry run` */
  readonly words?: readonly string[];
  /** options whose value is a file that it writes */
  readonly writes?: readonly string[];
  /** whether `NAME=value` may precede the command */
  readonly assignments?: boolean;
}

/** Programs that start the command after their own words and change nothing else about it. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { values: ['-u', '--unset', '-C', '--chdir', '-a', '--argv0'], assignments: true },
  'cross-env': { assignments: true },
  dotenv: { values: ['-e', '-f'] },
  nohup: {},
  setsid: {},
  chronic: {},
  unbuffer: {},
  fakeroot: { values: ['-l', '-s', '-i'] },
  caffeinate: { values: ['-t', '-w'] },
  'dbus-run-session': {},
  nice: { values: ['-n', '--adjustment'] },
  ionice: { values: ['-c', '-n', '-p', '--class', '--classdata'] },
  chrt: { operands: 1 },
  taskset: { operands: 1, values: ['-p'] },
  cpulimit: { values: ['-l', '-p', '-e'] },
  stdbuf: { values: ['-i', '-o', '-e', '--input', '--output', '--error'] },
  timeout: { values: ['-s', '--signal', '-k', '--kill-after'], operands: 1 },
  gtimeout: { values: ['-s', '--signal', '-k', '--kill-after'], operands: 1 },
  time: { assignments: true, values: ['-f', '-o', '--format', '--output'], writes: ['-o', '--output'] },
  command: {},
  builtin: {},
  exec: { values: ['-a'] },
  coproc: {},
  noglob: {},
  nocorrect: {},
  busybox: {},
  toybox: {},
  'ssh-agent': { values: ['-a', '-t', '-P', '-E'] },
  sudo: {
    values: [
      '-u',
      '-g',
      '-h',
      '-p',
      '-C',
      '-D',
      '-R',
      '-T',
      '-U',
      '-r',
      '-t',
      '--user',
      '--group',
      '--host',
      '--prompt',
      '--chdir',
      '--chroot',
    ],
    assignments: true,
  },
  doas: { values: ['-u', '-C'] },
  pkexec: { values: ['--user'] },
  run0: { values: ['-u', '--user', '-D', '--chdir'] },
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  setpriv: {},
  runuser: { values: ['-u', '-g'] },
  chroot: { values: ['--userspec', '--groups'], operands: 1 },
  unshare: { values: ['-S', '-G', '-R', '-w'] },
  nsenter: { values: ['-t', '-S', '-G', '-w', '-r'] },
  strace: { values: ['-e', '-o', '-p', '-s', '-u', '-E'], writes: ['-o'] },
  ltrace: { values: ['-e', '-o', '-p', '-s', '-u'], writes: ['-o'] },
  prlimit: {},
  setarch: { operands: 1 },
  linux32: {},
  linux64: {},
  proot: { values: ['-r', '-b', '-w'] },
  bwrap: { values: ['--bind', '--ro-bind', '--dev', '--proc', '--tmpfs', '--chdir'] },
  firejail: {},
  faketime: { operands: 1 },
  catchsegv: {},
  rlwrap: {},
  torsocks: {},
  proxychains: {},
  proxychains4: {},
  tsocks: {},
  'systemd-inhibit': {},
  'systemd-cat': {},
  daemonize: {},
  retry: {},
  ts: {},
  entr: {},
  sem: {},
  moreutils: {},
  valgrind: {},
  perf: { words: ['stat', 'record'], values: ['-o', '-e', '-F'], writes: ['-o'] },
  hyperfine: { values: ['-w', '-r', '-n', '--warmup', '--runs'] },
  'xvfb-run': { values: ['-n', '-s', '-e', '-f', '-p'] },
  poetry: { words: ['run'] },
  pipenv: { words: ['run'] },
  uv: { words: ['run'], values: ['--with', '-p', '--python', '--project'] },
  pdm: { words: ['run'] },
  hatch: { words: ['run'] },
  rye: { words: ['run'] },
  bundle: { words: ['exec'] },
  direnv: { words: ['exec'], operands: 1 },
  mise: { words: ['exec', 'x'] },
  asdf: { words: ['exec'] },
  conda: { words: ['run'], values: ['-n', '-p', '--name', '--prefix'] },
  mamba: { words: ['run'], values: ['-n', '-p', '--name', '--prefix'] },
  sshpass: { values: ['-p', '-f', '-d', '-P'] },
  npx: { values: ['-p', '--package', '-w', '--workspace'] },
  bunx: {},
  pnpx: {},
  npm: { words: ['exec', 'x'], values: ['-p', '--package', '-w', '--workspace'] },
  pnpm: { words: ['exec', 'dlx'], values: ['-C', '--filter', '-F'] },
  yarn: { words: ['exec', 'dlx'] },
  corepack: {},
  op: { words: ['run'], values: ['--env-file', '--account'] },
  doppler: { words: ['run'], values: ['-p', '-c'] },
};

/** The dynamic loader, which starts the program in its arguments. */
const LOADER = /^ld(?:-linux[\w-]*|-musl[\w-]*)?\.so(?:\.\d+)*$/;

/** Wrappers that also give it the rights of another user. */
const PRIVILEGED = new Set(['sudo', 'doas', 'pkexec', 'run0', 'gosu', 'su-exec', 'runuser', 'sudoedit', 'su']);

/** The command within a wrapper; undefined if the program isn't one, or wraps nothing here. */
export function unwrapped({ name, args, stdin }: Invocation, shell: Shell): readonly Field[] | undefined {
  if (PRIVILEGED.has(name)) shell.act('privilege', name, name);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : LOADER.test(name) ? WRAPPERS['nohup'] : undefined;
  if (!wrapper) return undefined;
  // `exec < file` makes the file the input of later commands.
  if (name === 'exec' && args.length === 0 && stdin.kind !== 'nothing') shell.act('run_unknown', name, 'exec <');
  // `exec > file` redirects the output of later commands there.
  if (name === 'exec' && args.length === 0) return undefined;
  if (name === 'env' && args.some(({ text }) => /^(-\w*S|--split-string)/.test(text))) return undefined;
  if ((name === 'npx' || name === 'npm') && args.some(({ text }) => /^(-c|--call)/.test(text))) return undefined;
  const options = parseOptions(args, wrapper.values, true);
  let rest = options.operands;
  for (const flag of wrapper.writes ?? [])
    for (const file of options.allValues.get(flag) ?? []) noteWrite('overwrite', name, file, shell);
  if (wrapper.words) {
    if (!wrapper.words.includes(rest[0]?.text ?? '')) return undefined;
    rest = parseOptions(rest.slice(1), wrapper.values, true).operands;
  }
  if (wrapper.assignments) {
    const end = rest.findIndex((word) => assignedIn(word) === undefined) >>> 0;
    noteAssignedWords(rest.slice(0, end), shell);
    rest = rest.slice(end);
  }
  return rest.slice(wrapper.operands ?? 0);
}
