// SPDX-License-Identifier: Apache-2.0
import { noteDeletions } from '../programs/delete.ts';
import { noteRead } from '../programs/secrets.ts';
import { isSecretFile } from '../programs/secret-names.ts';
import { noteEmptied, noteMade, noteWrite } from '../programs/write.ts';
import { field, SECRET, UNKNOWN } from '../shell/field.ts';
import { Bound } from './arguments.ts';
import { fieldsOf, ITEMS, onFiles, pathsOf, REMOVAL } from './item-paths.ts';
import { noteMovedOut } from './moved-out.ts';
import { driveOf, pathOf } from './paths.ts';
import type { Cmdlet, Session } from './session.ts';
import { NO_VALUE, sourceOf, tainted, UNKNOWN_VALUE, type Value } from './values.ts';

const removeItem: Cmdlet = (args, input, session, name) => {
  const bound = new Bound(args, REMOVAL);
  const given = pathsOf(bound, input);
  if (bound.isRehearsal) return NO_VALUE;
  const value = onFiles(given, session, name);
  const recursive = bound.has('recurse') || bound.isPartlyUnknown;
  if (value?.fields.length !== 0 || bound.isPartlyUnknown)
    noteDeletions(
      name,
      bound.isPartlyUnknown && !value ? [field(UNKNOWN)] : fieldsOf(value, bound),
      recursive,
      session.shell,
    );
  return NO_VALUE;
};

const clearContent: Cmdlet = (args, input, session, name) => {
  const bound = new Bound(args, ITEMS);
  if (bound.isRehearsal) return NO_VALUE;
  for (const path of fieldsOf(onFiles(pathsOf(bound, input), session, name), bound)) {
    noteWrite('overwrite', name, path, session.shell);
    noteEmptied(name, path, session.shell);
  }
  return NO_VALUE;
};

/** `Set-Content`, `Add-Content`, `Out-File`, `Tee-Object`: the content is a value, or comes from the pipeline. */
const writing =
  (kind: 'overwrite' | 'append', passesOn = false): Cmdlet =>
  (args, input, session, name) => {
    const bound = new Bound(args, ITEMS);
    const content = bound.value('value', 'inputobject') ?? bound.positional[1] ?? input;
    if (bound.isRehearsal) return NO_VALUE;
    const isAppended = kind === 'append' || bound.has('append');
    for (const path of fieldsOf(onFiles(pathsOf(bound, NO_VALUE), session, name), bound)) {
      noteWrite(isAppended ? 'append' : 'overwrite', name, path, session.shell);
      const isNothing = content.fields.length > 0 && content.fields.every(({ text }) => text === '');
      if (!isAppended && isNothing) noteEmptied(name, path, session.shell);
      else if (!isAppended) noteMade(path, sourceOf(content), session.shell);
    }
    return passesOn ? input : NO_VALUE;
  };

const newItem: Cmdlet = (args, input, session, name) => {
  const bound = new Bound(args, ITEMS);
  const isForced =
    bound.has('force') &&
    !/^(?:dir|directory|junction|symboliclink|hardlink)$/i.test(bound.value('itemtype')?.fields[0]?.text ?? '');
  const below = bound.value('name')?.fields[0]?.text;
  for (const { text } of pathsOf(bound, input)?.fields ?? []) {
    define(`${text}${below ?? ''}`, bound.value('value') ?? UNKNOWN_VALUE, session);
  }
  for (const path of fieldsOf(
    onFiles(pathsOf(bound, input) ?? (below === undefined ? undefined : { fields: [field('.')] }), session, name),
    bound,
  )) {
    const full = below === undefined ? path : field(`${path.text}/${below}`);
    noteWrite(isForced ? 'overwrite' : 'place', name, full, session.shell);
    // With `-Force` it replaces an existing file.
    if (isForced && (bound.value('value')?.fields.every(({ text }) => text === '') ?? true))
      noteEmptied(name, full, session.shell);
  }
  return NO_VALUE;
};

const moveItem: Cmdlet = (args, input, session, name) => {
  const bound = new Bound(args, ITEMS);
  if (bound.isRehearsal) return NO_VALUE;
  const from = onFiles(pathsOf(bound, input), session, name);
  const to =
    bound.value('destination', 'newname') ??
    bound.positional[input.fields.length > 0 && bound.positional.length === 1 ? 0 : 1];
  for (const { text } of to?.fields ?? []) noteWrite('place', name, pathOf(text, true), session.shell);
  if (name !== 'copy-item')
    noteMovedOut(
      name,
      fieldsOf(from, bound),
      (to?.fields ?? []).map(({ text }) => pathOf(text, true)),
      session,
    );
  else noteRead(name, fieldsOf(from, bound), session.shell);
  return NO_VALUE;
};

/** The existing files: as a pattern, or with `-Filter` and `-Include` as one below. */
const getChildItem: Cmdlet = (args, input, session) => {
  const bound = new Bound(args, ITEMS);
  const value = pathsOf(bound, input) ?? { fields: [field('.')] };
  if (value.fields.some(({ text }) => driveOf(text) === 'environment')) return { fields: [field(SECRET)] };
  const filter = bound.positional[1];
  const narrowed = fieldsOf(value, bound);
  const isNarrowed = bound.value('filter', 'include') !== undefined;
  const fields = filter
    ? narrowed.flatMap(({ text }) => filter.fields.map((pattern) => field(`${text}/${pattern.text}`, true)))
    : isNarrowed
      ? narrowed
      : narrowed.map((path) => (path.glob ? path : field(path.text === '/' ? '/*' : `${path.text}/*`, true)));
  noteRead('get-childitem', [], session.shell);
  return { fields, isListing: true };
};

const getItem: Cmdlet = (args, input) => {
  const bound = new Bound(args, ITEMS);
  const value = pathsOf(bound, input) ?? UNKNOWN_VALUE;
  if (value.fields.some(({ text }) => driveOf(text) === 'environment')) return { fields: [field(SECRET)] };
  return { fields: fieldsOf(value, bound), isListing: true };
};

const getContent: Cmdlet = (args, input, session, name) => {
  const bound = new Bound(args, ITEMS);
  const paths = fieldsOf(pathsOf(bound, input), bound);
  noteRead(name, paths, session.shell);
  if (paths.some(({ text }) => isSecretFile(text) || driveOf(text) === 'environment'))
    return { fields: [field(SECRET)] };
  const [only] = paths;
  const at = paths.length === 1 && only ? session.shell.path(only) : undefined;
  const content = at === undefined ? undefined : session.shell.scope.files.get(at);
  if (content?.kind === 'text') return { fields: [field(content.text)] };
  return content?.kind === 'downloaded' ? tainted({ fields: [field('\uE002')] }) : UNKNOWN_VALUE;
};

const setLocation: Cmdlet = (args, input, { shell }) => {
  const bound = new Bound(args, ITEMS);
  const [to] = fieldsOf(pathsOf(bound, input), bound);
  if (to) shell.scope.cwds = [shell.path(to)];
  return NO_VALUE;
};
const leaveLocation: Cmdlet = (_args, _input, { shell }) => {
  shell.scope.cwds = [undefined];
  return NO_VALUE;
};

/** The same paths, as literals. */
const samePath: Cmdlet = (args, input) => {
  const bound = new Bound(args, {
    values: ['path', 'literalpath', 'childpath', 'additionalchildpath', 'relativebasepath'],
    switches: [
      'parent',
      'leaf',
      'leafbase',
      'extension',
      'qualifier',
      'noqualifier',
      'relative',
      'resolve',
      'isabsolute',
    ],
  });
  const value = pathsOf(bound, input) ?? UNKNOWN_VALUE;
  const child = bound.value('childpath') ?? bound.positional[bound.value('path') ? 0 : 1];
  if (!child)
    return bound.has('parent')
      ? { fields: value.fields.map(({ text }) => field(text.replace(/[\\/][^\\/]*$/, '') || '.')) }
      : value;
  return {
    fields: value.fields.flatMap(({ text }) => child.fields.map((below) => field(`${text}/${below.text}`, below.glob))),
  };
};

/** Archives: extracted files are placed beside existing ones, or over them. */
const archive: Cmdlet = (args, input, session, name) => {
  const bound = new Bound(args, {
    values: ['path', 'literalpath', 'destinationpath', 'compressionlevel'],
    switches: ['force', 'update', 'passthru'],
  });
  const to = bound.value('destinationpath') ?? bound.positional[1];
  void input;
  for (const { text } of to?.fields ?? [])
    noteWrite(name === 'compress-archive' ? 'overwrite' : 'place', name, pathOf(text, true), session.shell);
  return NO_VALUE;
};

/** Attributes of files, and values of the registry: the latter change the system. */
const itemProperty: Cmdlet = (args, input, session, name) => {
  const bound = new Bound(args, {
    values: ['path', 'literalpath', 'name', 'value', 'propertytype', 'destination', 'newname'],
    switches: ['force', 'passthru'],
  });
  onFiles(pathsOf(bound, input), session, name);
  return NO_VALUE;
};

/** Items on the drives of functions, aliases and variables become definitions of the session. */
function define(path: string, value: Value, session: Session): void {
  const [, drive = '', target = ''] = /^(function|alias|variable):[\\/]*(.+)$/i.exec(path) ?? [];
  const name = target.toLowerCase();
  if (/^function$/i.test(drive) && value.block) session.functions.set(name, value.block);
  else if (/^alias$/i.test(drive)) session.aliases.set(name, value.fields[0]?.text ?? UNKNOWN);
  else if (/^variable$/i.test(drive)) session.variables.set(name, value);
}

/** `Set-Item` and `Clear-Item` change items on a drive without files. */
const setItem: Cmdlet = (args, input, session, name) => {
  const bound = new Bound(args, ITEMS);
  const value = pathsOf(bound, input);
  const to = bound.value('value') ?? bound.positional[1];
  for (const { text } of value?.fields ?? []) define(text, to ?? UNKNOWN_VALUE, session);
  onFiles(value, session, name);
  return NO_VALUE;
};

export const FILE_CMDLETS: Readonly<Record<string, Cmdlet>> = {
  'remove-item': removeItem,
  'clear-content': clearContent,
  'clear-item': setItem,
  'set-item': setItem,
  'set-content': writing('overwrite'),
  'add-content': writing('append'),
  'out-file': writing('overwrite'),
  'tee-object': writing('overwrite', true),
  'export-csv': writing('overwrite'),
  'export-clixml': writing('overwrite'),
  'new-item': newItem,
  'move-item': moveItem,
  'rename-item': moveItem,
  'copy-item': moveItem,
  'get-childitem': getChildItem,
  'get-item': getItem,
  'get-content': getContent,
  'set-location': setLocation,
  'push-location': setLocation,
  'pop-location': leaveLocation,
  'join-path': samePath,
  'split-path': samePath,
  'resolve-path': samePath,
  'convert-path': samePath,
  'expand-archive': archive,
  'compress-archive': archive,
  'set-itemproperty': itemProperty,
  'new-itemproperty': itemProperty,
  'remove-itemproperty': itemProperty,
  'clear-itemproperty': itemProperty,
  'rename-itemproperty': itemProperty,
  'copy-itemproperty': itemProperty,
  'move-itemproperty': itemProperty,
};
