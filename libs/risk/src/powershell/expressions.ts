// SPDX-License-Identifier: Apache-2.0
import { field, UNKNOWN } from '../shell/field.ts';
import { HOME } from '../shell/scope.ts';
import { namedChildren, type SyntaxNode } from '../shell/syntax.ts';
import { callMember } from './methods.ts';
import type { Session } from './session.ts';
import { concatenated, NO_VALUE, tainted, textValue, union, UNKNOWN_VALUE, type Value } from './values.ts';

/**
 * The possible values of an expression. Anything that isn't computed here is unknown, and commands within it are
 * interpreted.
 */
export function evaluateExpression(node: SyntaxNode, session: Session): Value {
  const literal = literalText(node);
  if (literal !== undefined) return textValue(literal);
  switch (node.type) {
    case 'expandable_string_literal':
      return expanded(node, 1, session);
    case 'expandable_here_string_literal':
      return hereString(node, session);
    case 'variable':
    case 'braced_variable':
      return variable(node.text, session);
    case 'type_literal':
      return { ...NO_VALUE, type: typeOf(node) };
    case 'script_block_expression':
      return { fields: [field(node.text.slice(1, -1))], block: node };
    case 'hash_literal_expression':
      return table(node, session);
    case 'parenthesized_expression':
    case 'sub_expression':
    case 'array_expression':
      return union(namedChildren(node).map((child) => session.run(child)));
    case 'additive_expression':
    case 'additive_argument_expression':
      return sum(node, session);
    case 'format_expression':
    case 'format_argument_expression':
      return formatted(node, session);
    case 'comparison_expression':
    case 'comparison_argument_expression':
      return compared(node, session);
    case 'cast_expression':
      return cast(node, session);
    case 'array_literal_expression':
    case 'argument_expression_list':
    case 'argument_list':
      return union(namedChildren(node).map((child) => session.evaluate(child)));
    case 'member_access':
    case 'invokation_expression':
    case 'invokation_foreach_expression':
      return callMember(node, session);
    case 'element_access':
      return element(node, session);
    default:
      return unknownOf(node, session);
  }
}

/** The text of a literal; undefined for any other node. */
function literalText({ type, text }: SyntaxNode): string | undefined {
  switch (type) {
    case 'verbatim_string_characters':
      return text.slice(1, -1).replaceAll("''", "'");
    case 'verbatim_here_string_characters':
      return text.replace(/^@'[^\n]*\n|\r?\n'@$/g, '');
    case 'generic_token':
    case 'decimal_integer_literal':
    case 'hexadecimal_integer_literal':
    case 'real_literal':
      return text;
    default:
      return undefined;
  }
}

function unknownOf(node: SyntaxNode, session: Session): Value {
  const parts = namedChildren(node).map((child) => session.run(child));
  return parts.length === 0 ? UNKNOWN_VALUE : tainted(union([...parts, UNKNOWN_VALUE]));
}

/** A variable's name in lower case, and its drive; a scope is not a drive. */
export function variableName(text: string): { readonly drive: string; readonly name: string } {
  const plain = text
    .replace(/^[$@]\{?|\}$/g, '')
    .replaceAll('`', '')
    .toLowerCase();
  const [, drive = '', name = plain] = /^(\w+):(.+)$/s.exec(plain) ?? [];
  return /^(?:global|local|private|script|using|workflow|variable)$/.test(drive)
    ? { drive: '', name }
    : { drive, name };
}

const AUTOMATIC: Readonly<Record<string, string>> = {
  home: HOME,
  true: 'True',
  false: 'False',
  null: '',
  profile: `${HOME}/.config/powershell/profile.ps1`,
  pshome: '/opt/microsoft/powershell',
  islinux: 'True',
  iswindows: 'False',
  ismacos: 'False',
};
/** Environment variables of Windows that name directories. */
const DIRECTORIES: Readonly<Record<string, string>> = {
  userprofile: HOME,
  temp: '/tmp',
  tmp: '/tmp',
  systemroot: '/usr',
  windir: '/usr',
  systemdrive: '/',
  appdata: `${HOME}/AppData`,
  localappdata: `${HOME}/AppData`,
  programfiles: '/usr',
  programdata: '/usr',
  homepath: HOME,
};

function variable(text: string, { variables, functions, shell }: Session): Value {
  const { drive, name } = variableName(text);
  if (drive === 'env')
    return Object.hasOwn(DIRECTORIES, name)
      ? textValue(DIRECTORIES[name] ?? UNKNOWN)
      : textValue(shell.scope.value(name.toUpperCase()).join(' '));
  const body = drive === 'function' ? functions.get(name) : undefined;
  if (body) return { fields: [field(UNKNOWN)], block: body };
  if (drive !== '') return UNKNOWN_VALUE;
  if (Object.hasOwn(AUTOMATIC, name)) return textValue(AUTOMATIC[name] ?? '');
  if (name === 'pwd') return textValue(shell.scope.cwds.length === 1 ? (shell.scope.cwds[0] ?? UNKNOWN) : UNKNOWN);
  return variables.get(name) ?? UNKNOWN_VALUE;
}

/** The text of a string, with its expansions. */
function expanded(node: SyntaxNode, edge: number, session: Session): Value {
  let value = textValue('');
  let at = node.start + edge;
  const literal = (to: number): void => {
    value = concatenated(value, textValue(unescaped(node.text.slice(at - node.start, to - node.start))));
  };
  for (const child of namedChildren(node)) {
    literal(child.start);
    value = concatenated(value, oneText(session.evaluate(child)));
    at = child.end;
  }
  literal(node.end - edge);
  return value;
}

function hereString(node: SyntaxNode, session: Session): Value {
  const { fields } = expanded(node, 0, session);
  return { fields: fields.map(({ text }) => field(text.replace(/^@"[^\n]*\n|\r?\n"@$/g, ''))) };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  0: '',
  a: '',
  b: '',
  e: '',
  f: '\f',
  v: '\v',
};
const unescaped = (text: string): string =>
  text
    .replaceAll('""', '"')
    .replace(/`(\r?\n|[\s\S])/g, (_all, char: string) => ESCAPES[char] ?? (char.endsWith('\n') ? '' : char));

/**
 * A list within a text is its elements with spaces between them. Whether the value is a list or one of several texts
 * isn't known.
 */
const oneText = (value: Value): Value => (value.fields.length === 0 ? textValue('') : value);

function sum(node: SyntaxNode, session: Session): Value {
  const [left, right] = namedChildren(node).map((child) => session.evaluate(child));
  return node.children.some(({ type }) => type === '+') && left && right ? concatenated(left, right) : UNKNOWN_VALUE;
}

/** `'{0}-{1}' -f 'a', 'b'` */
function formatted(node: SyntaxNode, session: Session): Value {
  const [pattern, given] = namedChildren(node).filter(({ type }) => type !== 'format_operator');
  const format = pattern ? session.evaluate(pattern) : UNKNOWN_VALUE;
  const values = given
    ? (given.type === 'array_literal_expression' ? namedChildren(given) : [given]).map((child) =>
        session.evaluate(child),
      )
    : [];
  if (format.fields.length !== 1 || values.some(({ fields }) => fields.length !== 1))
    return tainted(union([format, ...values, UNKNOWN_VALUE]));
  const text = (format.fields[0]?.text ?? '').replace(
    /\{(\d+)(?:[,:][^}]*)?\}/g,
    (_all, index: string) => values[Number(index)]?.fields[0]?.text ?? UNKNOWN,
  );
  return textValue(text.replaceAll('{{', '{').replaceAll('}}', '}'));
}

/** `-join` of a literal list is its text; the results of other comparisons don't matter. */
function compared(node: SyntaxNode, session: Session): Value {
  const operator = node.children.find(({ type }) => type === 'comparison_operator')?.text.toLowerCase() ?? '';
  const [left, right] = namedChildren(node).filter(({ type }) => type !== 'comparison_operator');
  const values = [left, right].map((part) => (part ? session.run(part) : NO_VALUE));
  const [list = NO_VALUE, separator = NO_VALUE] = values;
  if (operator === '-join')
    return {
      fields: [
        field(
          isSpelledOut(left) && separator.fields.length === 1
            ? list.fields.map(({ text }) => text).join(separator.fields[0]?.text ?? '')
            : UNKNOWN,
        ),
      ],
    };
  if (/^-[ci]?(?:replace|split)$/.test(operator)) return tainted(union([...values, UNKNOWN_VALUE]));
  return /^-(?:as)$/.test(operator) ? list : textValue('True');
}

/** Equal elements are merged into one possible value, so the order is known only for a list of distinct elements. */
function isSpelledOut(node: SyntaxNode | undefined): boolean {
  if (node?.type === 'parenthesized_expression' || node?.type === 'array_expression')
    return isSpelledOut(namedChildren(node)[0]);
  if (node?.type !== 'array_literal_expression') return false;
  const parts = namedChildren(node);
  return (
    parts.every(({ type }) => type === 'verbatim_string_characters') &&
    new Set(parts.map(({ text }) => text)).size === parts.length
  );
}

const TEXTS = new RegExp(
  [
    String.raw`^(?:system\.)?(?:string|object|scriptblock|management\.automation\.scriptblock|array|`,
    String.raw`string\[\]|object\[\]|psobject|pscustomobject|ordered|hashtable|io\.fileinfo|io\.directoryinfo|`,
    String.raw`uri|void|xml|regex)$`,
  ].join(''),
);
function cast(node: SyntaxNode, session: Session): Value {
  const [target, operand] = namedChildren(node);
  const value = operand ? session.evaluate(operand) : UNKNOWN_VALUE;
  return target && TEXTS.test(typeOf(target)) ? value : tainted(union([value, UNKNOWN_VALUE]));
}

export const typeOf = (node: SyntaxNode): string =>
  node.text
    .replace(/^\[|\]$/g, '')
    .replace(/\s/g, '')
    .toLowerCase();

function table(node: SyntaxNode, session: Session): Value {
  const entries = new Map<string, Value>();
  const visit = (entry: SyntaxNode): void => {
    if (entry.type !== 'hash_entry') {
      for (const child of namedChildren(entry)) visit(child);
      return;
    }
    const [key, ...values] = namedChildren(entry);
    entries.set(
      (key?.text ?? '').replace(/["'`]/g, '').toLowerCase(),
      union(values.map((value) => session.run(value))),
    );
  };
  visit(node);
  return { fields: [field(UNKNOWN)], entries };
}

function element(node: SyntaxNode, session: Session): Value {
  const [list, index] = namedChildren(node).map((child) => session.evaluate(child));
  const named = list?.entries?.get(index?.fields[0]?.text.toLowerCase() ?? '');
  if (named) return named;
  if (!list || (!list.isListing && list.fields.length < 2))
    return list ? tainted(union([list, UNKNOWN_VALUE])) : UNKNOWN_VALUE;
  return list;
}
