// SPDX-License-Identifier: Apache-2.0
import { noteDeletions } from '../programs/delete.ts';
import { noteEmptied, noteWrite } from '../programs/write.ts';
import { DOWNLOADED, field, isExact } from '../shell/field.ts';
import { fieldOf, namedChildren, type SyntaxNode } from '../shell/syntax.ts';
import { COMPUTES, DELETES, FETCHES, HARMLESS, INVOKES, NAMES, OF_FILES, READS } from './dotnet-names.ts';
import { noteMovedOut } from './moved-out.ts';
import { pathOf } from './paths.ts';
import type { Session } from './session.ts';
import { NO_VALUE, tainted, textValue, union, UNKNOWN_VALUE, type Value } from './values.ts';

/** The value of a member, or the result of a call of it. */
export function callMember(node: SyntaxNode, session: Session): Value {
  if (node.type === 'invokation_foreach_expression') return blocksOf(node, session);
  const [target, member] = namedChildren(node);
  const list = namedChildren(node).find(({ type }) => type === 'argument_list');
  const owner = target ? session.evaluate(target) : UNKNOWN_VALUE;
  const name = member ? memberName(member, session) : undefined;
  if (node.type === 'member_access') return property(owner, name, session);
  const args = list ? argumentsIn(list).map((one) => session.evaluate(one)) : [];
  if (name === undefined) {
    session.unread(node.text);
    return UNKNOWN_VALUE;
  }
  if (owner.type !== undefined) return callStatic(owner.type, name, args, session, node);
  return callMethod(owner, name, args, session, node);
}

/** Undefined where the name is computed at run time. */
function memberName(member: SyntaxNode, session: Session): string | undefined {
  const [inner = member] = member.type === 'member_name' ? namedChildren(member) : [member];
  if (inner.type === 'simple_name') return inner.text.toLowerCase();
  const { fields } = session.evaluate(inner);
  const [only] = fields;
  return fields.length === 1 && only && isExact(only.text) ? only.text.toLowerCase() : undefined;
}

const argumentsIn = (list: SyntaxNode): readonly SyntaxNode[] => {
  const inner = fieldOf(list, 'argument_expression_list') ?? namedChildren(list)[0];
  return inner === undefined ? [] : inner.type === 'argument_expression_list' ? namedChildren(inner) : [inner];
};

function blocksOf(node: SyntaxNode, session: Session): Value {
  const [target, block] = namedChildren(node);
  const owner = target ? session.evaluate(target) : UNKNOWN_VALUE;
  return block ? session.runBlock(block, owner) : UNKNOWN_VALUE;
}

function property(owner: Value, name: string | undefined, session: Session): Value {
  if (owner.type !== undefined)
    return name === 'newline' ? textValue('\n') : name === 'empty' ? textValue('') : UNKNOWN_VALUE;
  const entry = name === undefined ? undefined : owner.entries?.get(name);
  if (entry) return entry;
  if (name !== undefined && NAMES.has(name))
    return owner.fields.length > 0 ? { ...owner, fields: owner.fields } : UNKNOWN_VALUE;
  if (name === 'invokecommand') session.unread(name);
  return tainted(union([owner, UNKNOWN_VALUE]));
}

function callMethod(owner: Value, name: string, args: readonly Value[], session: Session, node: SyntaxNode): Value {
  for (const { block } of args) if (block) session.runBlock(block, owner);
  if (owner.block && name === 'getnewclosure') return owner;
  if (owner.block && INVOKES.has(name)) return session.runBlock(owner.block, args[0] ?? NO_VALUE);
  if (FETCHES.has(name)) return downloaded(name, args, session);
  if (DELETES.has(name)) {
    // A list may be emptied; a file or a directory comes from a listing.
    if (name === 'kill' || name === 'terminate') session.shell.act('process_kill', 'powershell', node.text);
    else if (owner.isListing) noteDeletions(`powershell .${name}`, owner.fields, true, session.shell);
    else if (!/^(?:clear|remove|removeat|removeall)$/.test(name)) session.shell.act('code', 'powershell', `.${name}(`);
    return UNKNOWN_VALUE;
  }
  if (!HARMLESS.has(name)) session.unread(node.text);
  return name === 'replace' ? replaced(owner, args) : tainted(union([owner, ...args, UNKNOWN_VALUE]));
}

/** Code that replaces parts of a literal text most likely hides something. */
function replaced({ fields }: Value, [from, to]: readonly Value[]): Value {
  const [pattern, replacement] = [from?.fields[0]?.text, to?.fields[0]?.text];
  const isKnown =
    pattern !== undefined &&
    pattern !== '' &&
    replacement !== undefined &&
    from?.fields.length === 1 &&
    to?.fields.length === 1;
  return isKnown ? { fields: fields.map(({ text }) => field(text.replaceAll(pattern, replacement))) } : UNKNOWN_VALUE;
}

function downloaded(name: string, args: readonly Value[], session: Session): Value {
  session.shell.act('network', 'powershell', args[0]?.fields[0]?.text ?? name);
  if (name === 'downloadfile')
    for (const { text } of args[1]?.fields ?? [])
      noteWrite('overwrite', 'powershell', pathOf(text, true), session.shell);
  return textValue(DOWNLOADED);
}

function callStatic(type: string, name: string, args: readonly Value[], session: Session, node: SyntaxNode): Value {
  const { shell } = session;
  const short = type.replace(/^system\./, '');
  const [first = NO_VALUE] = args;
  for (const { block } of args) if (block) session.runBlock(block, UNKNOWN_VALUE);
  if (short === 'scriptblock' && name === 'create') {
    session.runTexts(first, NO_VALUE);
    return NO_VALUE;
  }
  if (OF_FILES.has(short)) return ofFiles(short, name, args, session);
  if (short === 'diagnostics.process' && name === 'start') {
    return session.start(
      first.fields[0]?.text ?? '',
      (args[1]?.fields ?? [])
        .flatMap(({ text }) => text.split(/\s+/))
        .map((word) => ({ value: textValue(word), word: field(word) })),
      NO_VALUE,
    );
  }
  if (
    (COMPUTES.test(type) || READS.test(short)) &&
    (name === 'new' ||
      READS.test(short) ||
      !/^(?:exit|failfast|setenvironmentvariable|createinstance|createinstancefrom)$/.test(name))
  )
    return madeBy(name, args);
  if (short === 'environment' && name === 'setenvironmentvariable') {
    if (args.length > 2 && !/process/i.test(args[2]?.fields[0]?.text ?? ''))
      shell.act('persistence', 'powershell', node.text);
    return NO_VALUE;
  }
  if (short === 'environment' && name === 'exit') return NO_VALUE;
  session.unread(node.text);
  return UNKNOWN_VALUE;
}

const madeBy = (name: string, args: readonly Value[]): Value =>
  name === 'combine'
    ? { fields: [field(args.map(({ fields }) => fields[0]?.text ?? '').join('/'))] }
    : tainted(union([...args, UNKNOWN_VALUE]));

function ofFiles(type: string, name: string, args: readonly Value[], session: Session): Value {
  const { shell } = session;
  const paths = (args[0]?.fields ?? []).map((one) => (one.glob ? one : pathOf(one.text, true)));
  const form = `powershell ${type}::${name}`;
  if (/^delete/.test(name)) {
    noteDeletions(form, paths, type.includes('directory') || name === 'deletedirectory', shell);
  } else if (/^(?:writeall|create$|createtext|openwrite|append|setattributes)/.test(name)) {
    for (const path of paths) noteWrite(name.startsWith('append') ? 'append' : 'overwrite', form, path, shell);
    const isEmpty =
      name === 'create'
        ? !type.includes('directory')
        : name.startsWith('writeall') && args[1]?.fields.every(({ text }) => text === '') === true;
    if (isEmpty) for (const path of paths) noteEmptied(form, path, shell);
  } else if (/^(?:move|copy|replace|movefile|movedirectory|copyfile|copydirectory)/.test(name)) {
    for (const { text } of args[1]?.fields ?? []) noteWrite('place', form, pathOf(text, true), shell);
    const targets = (args[1]?.fields ?? []).map(({ text }) => pathOf(text, true));
    if (name.startsWith('move')) noteMovedOut(form, paths, targets, session);
  } else if (!/^(?:read|exists|get|enumerate|open|createdirectory|new)/.test(name)) {
    session.unread(form);
  }
  return /^(?:get|enumerate)/.test(name)
    ? { fields: paths.map(({ text }) => field(`${text}/*`, true)), isListing: true }
    : UNKNOWN_VALUE;
}
