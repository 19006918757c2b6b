// SPDX-License-Identifier: Apache-2.0
import { field, type Field, type Source } from '../shell/field.ts';
import { has, parseOptions } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, deviceSource, KEPT_SECRET, NOTHING, tainted } from '../shell/source.ts';
import type { Zone } from '../zones.ts';
import { noteDeletions } from './delete.ts';
import { noteSshCommands } from './keys.ts';
import { noteRead } from './secrets.ts';
import { isSecretFile } from './secret-names.ts';
import { noteEmptied, noteEndless, noteMade, noteOwnScratch, noteUnpacked, noteWrite } from './write.ts';

const TARGET = ['-t', '--target-directory', '-S', '--suffix'];
function sourcesAndTarget(
  args: readonly Field[],
  takesValue: readonly string[],
): { sources: readonly Field[]; target: Field | undefined } {
  const { operands, values } = parseOptions(args, takesValue);
  const directory = values.get('-t') ?? values.get('--target-directory');
  return directory
    ? { sources: operands, target: directory }
    : { sources: operands.slice(0, -1), target: operands.at(-1) };
}

const AWAY: ReadonlySet<Zone> = new Set([
  'outside',
  'system',
  'root',
  'home',
  'scratch',
  'temporary',
  'sink',
  'device',
]);
const WHOLE: ReadonlySet<Zone> = new Set(['root', 'home', 'workspace', 'system']);

const mv: Reading = ({ name, args }, shell) => {
  const { sources, target } = sourcesAndTarget(args, TARGET);
  if (!target) return NOTHING;
  const away = shell.zones(target).some((zone) => AWAY.has(zone));
  for (const source of sources) {
    for (const zone of shell.zones(source)) {
      if (WHOLE.has(zone) && (away || zone !== 'workspace')) noteDeletions(name, [source], true, shell);
      else if (away && (zone === 'inside' || zone === 'history'))
        shell.act('move_out', name, source.text, { zone, many: source.glob });
      else if (zone === 'history') shell.act('overwrite', name, source.text, { zone });
      else if (zone === 'outside') shell.act('move_out', name, source.text, { zone });
    }
  }
  noteWrite('place', name, target, shell);
  passContent(sources, target, shell);
  noteProgram(sources, target, shell);
  noteNewName(sources, target, false, shell);
  return NOTHING;
};

/** Records the former name of an entry, so that a deletion under the new name counts as one of the old. */
function noteNewName(sources: readonly Field[], target: Field, isLink: boolean, shell: Shell): void {
  const [to, from] = [shell.path(target), sources[0]];
  const zones = from ? shell.zones(from) : [];
  if (
    to === undefined ||
    !from ||
    sources.length > 1 ||
    zones.every((zone) => zone === 'regenerable' || zone === 'scratch' || zone === 'temporary')
  )
    return;
  shell.scope.movedTo.set(to, { from, isLink });
}

/** Sources without content. */
const givesNothing = ({ text }: Field, stdin: Source): boolean =>
  text === '/dev/null' ||
  (/^\/dev\/(?:stdin|fd\/0)$/.test(text) && (stdin.kind === 'nothing' || (stdin.kind === 'text' && stdin.text === '')));

const cp: Reading = ({ name, args, stdin }, shell) => {
  const { sources, target } = sourcesAndTarget(args, [...TARGET, '-m', '-o', '-g', '--mode', '--owner', '--group']);
  if (!target) return NOTHING;
  noteWrite('place', name, target, shell);
  noteOwnScratch(target, shell);
  if (sources.some((source) => givesNothing(source, stdin)))
    for (const path of [...sources.filter((source) => !givesNothing(source, stdin)), target])
      noteEmptied(name, path, shell);
  noteProgram(sources, target, shell);
  passContent(sources, target, shell);
  return NOTHING;
};

/** Directories of system programs. */
const PROGRAM = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/;
/** Records a program under its new name, also where that is a directory's. */
function noteProgram(sources: readonly Field[], target: Field, shell: Shell): void {
  const to = shell.path(target);
  for (const source of to === undefined ? [] : sources) {
    const from = shell.path(source) ?? '';
    const name = PROGRAM.exec(from)?.[1] ?? shell.scope.programs.get(from);
    if (name !== undefined) for (const path of [`${to}`, `${to}/${name}`]) shell.scope.programs.set(path, name);
  }
}

/** A copy of a file that the command wrote has the same content. */
function passContent(sources: readonly Field[], target: Field, shell: Shell): void {
  const from = sources[0] && shell.path(sources[0]);
  const to = shell.path(target);
  const content =
    (from === undefined ? undefined : shell.scope.files.get(from)) ??
    (sources[0] && isSecretFile(sources[0].text) ? KEPT_SECRET : undefined);
  if (content && to !== undefined) shell.scope.files.set(to, content);
}

/** Copies to or from another machine; only a local target is written here. */
const scp: Reading = ({ name, args }, shell) => {
  const options = parseOptions(args, ['-i', '-P', '-o', '-F', '-J', '-l', '-c', '-S']);
  const { operands } = options;
  noteSshCommands(options, shell);
  for (const { text } of options.allValues.get('-S') ?? []) shell.script(text, NOTHING);
  noteRead(name, operands, shell);
  const target = operands.at(-1);
  if (target && !/^[\w.@-]+:/.test(target.text)) noteWrite('place', name, target, shell);
  // Overwriting a file of another machine with nothing is a loss like any other.
  else if (target && operands.some(({ text }) => text === '/dev/null')) shell.act('remote_loss', name, target.text);
  return NOTHING;
};

const ln: Reading = ({ name, args }, shell) => {
  const { sources, target } = sourcesAndTarget(args, TARGET);
  if (target && sources.length > 0) noteWrite('place', name, target, shell);
  if (target && sources.some(({ text }) => text === '/dev/null')) noteEmptied(name, target, shell);
  if (target) noteProgram(sources, target, shell);
  if (target) noteNewName(sources, target, true, shell);
  return NOTHING;
};

const tee: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(args);
  for (const to of options.operands) {
    noteWrite(has(options, '-a', '--append') ? 'append' : 'overwrite', name, to, shell);
    if (has(options, '-a', '--append')) continue;
    noteEndless(name, to, stdin, shell);
    if (stdin.kind === 'nothing' || (stdin.kind === 'text' && stdin.text.trim() === '')) noteEmptied(name, to, shell);
    noteMade(to, stdin, shell);
  }
  return stdin;
};

/** A new image of zeros, as tests of file systems use one. */
const isBlankImage = (to: string, content: Source, args: readonly Field[]): boolean =>
  content.kind === 'endless' &&
  /\.(?:img|raw|iso|qcow2|vmdk|vhd)$/.test(to) &&
  args.some(({ text }) => /^count=\d+$/.test(text));

/** The output of a program, or a source known to have content. */
const holdsText = (content: Source): boolean =>
  content.kind !== 'endless' && content.kind !== 'nothing' && !(content.kind === 'text' && content.text.trim() === '');

const dd: Reading = ({ name, args, stdin }, shell) => {
  const of = args.find(({ text }) => text.startsWith('of='));
  const from = args.find(({ text }) => text.startsWith('if='));
  if (from) noteRead(name, [field(from.text.slice(3))], shell);
  if (!of) return from ? ANYTHING : stdin;
  const to = field(of.text.slice(3), of.glob);
  const content = (from ? deviceSource(from.text.slice(3)) : stdin) ?? ANYTHING;
  // From one file to another it copies, as `cp` does.
  const copies = from !== undefined && deviceSource(from.text.slice(3)) === undefined;
  noteWrite(copies ? 'place' : 'overwrite', name, to, shell);
  if (!args.some(({ text }) => /^count=/.test(text))) noteEndless(name, to, content, shell);
  const takesNothing = args.some(({ text }) => /^count=0+$/.test(text));
  // A device provides no content worth keeping, and the rest of the file is cut off.
  if ((!copies || takesNothing) && !holdsText(content) && !isBlankImage(to.text, content, args))
    noteEmptied(name, to, shell);
  noteMade(to, content, shell);
  if (from) noteProgram([field(from.text.slice(3))], to, shell);
  if (from) passContent([field(from.text.slice(3))], to, shell);
  return NOTHING;
};

const rsync: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(args, [
    '-e',
    '--rsh',
    '--exclude',
    '--include',
    '--filter',
    '-f',
    '--files-from',
    '--log-file',
    '--rsync-path',
    '--bwlimit',
    '--port',
  ]);
  const target = options.operands.at(-1);
  const deletes = [...options.flags].some((flag) => flag.startsWith('--del') || flag === '--remove-source-files');
  const command = options.values.get('-e') ?? options.values.get('--rsh');
  if (command) shell.script(command.text, NOTHING);
  if (!target || has(options, '-n', '--dry-run')) return NOTHING;
  const remote = /^[\w.@-]+:/.test(target.text);
  if (remote && deletes) shell.act('remote_loss', 'rsync --delete', target.text);
  if (remote) return NOTHING;
  if (options.operands.some((source) => givesNothing(source, stdin))) noteEmptied(name, target, shell);
  if (deletes) noteDeletions('rsync --delete', [target], true, shell);
  noteWrite('place', name, target, shell);
  return NOTHING;
};

/** An archive that contains secrets, in a file or on the output. */
function packed(archive: Field | undefined, shell: Shell): Source {
  const path = archive && archive.text !== '-' ? shell.path(archive) : undefined;
  if (path !== undefined) shell.scope.files.set(path, KEPT_SECRET);
  return KEPT_SECRET;
}

function isDownloaded(path: Field | undefined, shell: Shell): boolean {
  const at = path && shell.path(path);
  return at !== undefined && shell.scope.files.get(at)?.kind === 'downloaded';
}

const EXTRACTS = /^-?[a-zA-Z]*x/;
const tar: Reading = ({ name, args, stdin }, shell) => {
  const options = parseOptions(args, [
    '-C',
    '--directory',
    '-f',
    '--file',
    '--exclude',
    '--to-command',
    '--checkpoint-action',
    '--use-compress-program',
    '-I',
    '-T',
    '--transform',
  ]);
  for (const flag of ['--to-command', '--use-compress-program', '-I']) {
    const command = options.values.get(flag);
    // The command gets the packed content as input.
    if (command) shell.script(command.text, flag === '--to-command' ? ANYTHING : NOTHING);
  }
  const action = options.values.get('--checkpoint-action')?.text;
  if (action?.startsWith('exec=')) {
    // There is no honest reason to start another program while packing.
    shell.act('run_unknown', `${name} --checkpoint-action`, action);
    shell.script(action.slice('exec='.length), NOTHING);
  }
  const inputs = options.operands.slice(args[0]?.text.startsWith('-') ? 0 : 1);
  if (has(options, '--remove-files')) noteDeletions('tar --remove-files', inputs, true, shell);
  const extracts = has(options, '-x', '--extract', '--get') || EXTRACTS.test(args[0]?.text ?? '');
  const into = options.values.get('-C') ?? options.values.get('--directory');
  const archive =
    options.values.get('-f') ??
    options.values.get('--file') ??
    (/^[a-zA-Z]*f/.test(args[0]?.text ?? '') ? args[1] : undefined);
  if (extracts && (stdin.kind === 'downloaded' || isDownloaded(archive, shell))) shell.scope.unpacked = true;
  if (extracts && into) noteUnpacked(name, into, shell);
  if (!extracts && inputs.some((path) => shell.zones(path).some((zone) => WHOLE.has(zone)) || isSecretFile(path.text)))
    return packed(archive, shell);
  return extracts && !has(options, '-O', '--to-stdout') ? ANYTHING : tainted(stdin);
};

/** Notes the removal of an entry from an archive that isn't regenerable. */
function noteDropped(form: string, archive: Field | undefined, shell: Shell): void {
  if (
    archive &&
    shell.zones(archive).some((zone) => zone !== 'regenerable' && zone !== 'scratch' && zone !== 'temporary')
  )
    shell.act('work_loss', form, archive.text);
}

/** `zip -m` and `7z -sdel` delete the files that they have packed. */
const zip: Reading = ({ name, args }, shell) => {
  const options = parseOptions(
    args.filter(({ text }) => text !== '-sdel'),
    ['-x', '-i', '-b', '-n', '-t', '-TT', '--unzip-command'],
  );
  for (const flag of ['-TT', '--unzip-command'])
    for (const { text } of options.allValues.get(flag) ?? []) shell.script(text, NOTHING);
  const moves = name === 'zip' ? has(options, '-m', '--move') : args.some(({ text }) => text === '-sdel');
  const inputs = options.operands.slice(name === 'zip' ? 1 : 2);
  const drops = name === 'zip' ? has(options, '-d', '--delete') : options.operands[0]?.text === 'd';
  if (drops) noteDropped(`${name} ${name === 'zip' ? '-d' : 'd'}`, options.operands[name === 'zip' ? 0 : 1], shell);
  if (moves) noteDeletions(`${name} ${name === 'zip' ? '-m' : '-sdel'}`, inputs, true, shell);
  if (
    inputs.some((path) => shell.zones(path).some((zone) => WHOLE.has(zone)) || isSecretFile(path.text)) &&
    options.operands[0]?.text === '-'
  )
    return KEPT_SECRET;
  return name === 'zip' ? ANYTHING : unzip({ name, args, stdin: NOTHING }, shell);
};

const unzip: Reading = ({ name, args }, shell) => {
  const options = parseOptions(args, ['-d', '-x', '-P']);
  if (options.operands.some((path) => isDownloaded(path, shell))) shell.scope.unpacked = true;
  const into = options.values.get('-d');
  if (into) noteUnpacked(name, into, shell);
  return ANYTHING;
};

const makes: Reading = ({ name, args }, shell) => {
  for (const path of parseOptions(args, ['-m', '--mode', '-d', '-r', '-t']).operands) {
    if (name === 'mkdir') noteOwnScratch(path, shell);
    // A new directory or empty file beside existing ones loses nothing, so only devices and the system matter.
    if (shell.zones(path).some((zone) => zone === 'system' || zone === 'device' || zone === 'root'))
      noteWrite('place', name, path, shell);
  }
  return NOTHING;
};

export const MOVING: Readonly<Record<string, Reading>> = {
  mv,
  cp,
  gcp: cp,
  gmv: mv,
  scp,
  install: cp,
  ln,
  link: ln,
  tee,
  sponge: tee,
  dd,
  dcfldd: dd,
  rsync,
  tar,
  gtar: tar,
  bsdtar: tar,
  unzip,
  zip,
  '7z': zip,
  '7za': zip,
  '7zz': zip,
  mkdir: makes,
  touch: makes,
};
