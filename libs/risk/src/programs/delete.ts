// SPDX-License-Identifier: Apache-2.0
import { has, parseOptions } from '../shell/options.ts';
import { field, NUMBER, type Field } from '../shell/field.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { NOTHING } from '../shell/source.ts';
import type { Zone } from '../zones.ts';
import { isHuge } from './sizes.ts';
import { isOwnScratch, leavesTraces, noteEmptied, noteWrite } from './write.ts';

/** Named files that one command may delete deliberately; a longer list is a deletion of many. */
const NAMED_MAX = 12;

/** Extensions that directories don't have: `rm -r` of such a name is a deletion of one file. */
const OF_FILES =
  /\.(?:json5?|lock|ya?ml|toml|ini|cfg|conf|txt|md|rst|csv|tsv|xml|html?|css|scss|[cm]?[jt]sx?|vue|svelte|pyi?|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|sh|sql|env|zip|tgz|gz|tar|whl|jar|png|jpe?g|svg|gif|pdf|db|sqlite3?)$/i;

/** Notes the deletion of each path. */
export function noteDeletions(form: string, paths: readonly Field[], recursive: boolean, shell: Shell): void {
  const besides = new Set(paths.map(({ text }) => text.replace(/\/$/, '')));
  for (const path of paths) {
    const built = isBuiltBeside(path, besides);
    // Under its former name too, where the command itself moved it.
    for (let one: Field | undefined = path; one !== undefined; one = nameBefore(one, shell))
      noteDeletion(form, one, { recursive, built, count: paths.length }, shell);
  }
}

function noteDeletion(
  form: string,
  path: Field,
  { recursive, built, count }: { recursive: boolean; built: boolean; count: number },
  shell: Shell,
): void {
  shell.meter.steps();
  if (leavesTraces(path.text)) shell.act('trace_removal', form, path.text);
  const tree = recursive && (path.glob || !OF_FILES.test(path.text));
  // Files that the command itself put into the container's own /tmp are no loss.
  for (const zone of built || isOwnScratch(path, shell) ? ['regenerable' as const] : shell.zones(path))
    shell.act('delete', form, path.text, {
      zone,
      recursive: tree,
      many: path.glob || path.text.includes(NUMBER) || count > NAMED_MAX,
    });
}

/** `bin` holds build output where `obj` is deleted too, as in .NET projects; by itself it may hold scripts. */
const isBuiltBeside = ({ text }: Field, besides: ReadonlySet<string>): boolean =>
  /^(?:[\w*.-]+\/)*bin\/?$/.test(text) && !text.includes('..') && besides.has(text.replace(/bin\/?$/, 'obj'));

/**
 * The former name of the entry at the path, where the command itself moved it there, or made a link that the path
 * follows.
 */
function nameBefore({ text }: Field, shell: Shell): Field | undefined {
  const path = shell.path(field(text.replace(/\/\*?$/, '')));
  const moved = path === undefined ? undefined : shell.scope.movedTo.get(path);
  if (path !== undefined) shell.scope.movedTo.delete(path);
  return moved && (!moved.isLink || text.endsWith('/') || text.endsWith('/*')) ? moved.from : undefined;
}

const rm: Reading = ({ name, args }, shell) => {
  const options = parseOptions(args, name === 'shred' ? ['-n', '-s', '--iterations', '--size', '--random-source'] : []);
  if (name === 'shred') {
    for (const path of options.operands) noteWrite('overwrite', name, path, shell);
    for (const path of options.operands)
      for (const zone of shell.zones(path)) if (!GONE_ANYWAY.has(zone)) shell.act('empty', name, path.text);
    if (!has(options, '-u', '--remove')) return NOTHING;
  }
  const recursive = has(options, '-r', '-R', '--recursive') || RECURSIVE_BY_NATURE.has(name);
  noteDeletions(name, options.operands, recursive, shell);
  return NOTHING;
};
const RECURSIVE_BY_NATURE = new Set([
  'rimraf',
  'del',
  'trash',
  'del-cli',
  'trash-put',
  'rmtrash',
  'gio trash',
  'srm',
  'wipe',
  'rd',
]);

/** Zones whose content is recreated, or was never kept. */
const GONE_ANYWAY: ReadonlySet<Zone> = new Set(['regenerable', 'scratch', 'temporary', 'sink']);

const unlink: Reading = ({ name, args }, shell) => {
  noteDeletions(name, args, false, shell);
  return NOTHING;
};

/** Removes only empty directories, so nothing is lost. */
const rmdir: Reading = () => NOTHING;

/** Sizes that enlarge a file, or that only a new file is given. */
const GROWS = /^[+>]|^\d+[KMGT]/i;

const truncate: Reading = ({ name, args }, shell) => {
  const options = parseOptions(args, ['-s', '--size', '-r', '--reference', '-l', '--length', '-o', '--offset']);
  const { operands, values } = options;
  // `fallocate` can remove content by holes, zeros and a range that is cut out.
  const takesAway = has(options, '-p', '--punch-hole', '-z', '--zero-range', '-c', '--collapse-range');
  const size = (values.get('-s') ?? values.get('--size') ?? values.get('-l') ?? values.get('--length'))?.text ?? '';
  for (const path of operands) {
    noteWrite('overwrite', name, path, shell);
    if (isHuge(size)) shell.act('exhaustion', name, size);
    else if (name === 'truncate' ? !GROWS.test(size) : takesAway) noteEmptied(name, path, shell);
  }
  return NOTHING;
};

/** `gio trash` and `gio remove`. */
const gio: Reading = ({ args, stdin }, shell) => {
  const [verb, ...rest] = args;
  return verb?.text === 'trash' || verb?.text === 'remove'
    ? rm({ name: 'gio trash', args: rest, stdin }, shell)
    : undefined;
};

export const DELETING: Readonly<Record<string, Reading>> = {
  rm,
  rimraf: rm,
  shred: rm,
  srm: rm,
  wipe: rm,
  trash: rm,
  'trash-put': rm,
  'del-cli': rm,
  rmtrash: rm,
  gio,
  unlink,
  rmdir,
  truncate,
  fallocate: truncate,
};
