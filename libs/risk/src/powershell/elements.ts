// SPDX-License-Identifier: Apache-2.0
import { field, UNKNOWN } from '../shell/field.ts';
import { namedChildren, type SyntaxNode } from '../shell/syntax.ts';
import type { Argument } from './arguments.ts';
import { noteRedirection } from './redirections.ts';
import type { Session } from './session.ts';
import { concatenated, textValue, UNKNOWN_VALUE, type Value } from './values.ts';

/** The possible names of a command, or the block of code in its place. */
export function commandNames(
  node: SyntaxNode,
  session: Session,
): { readonly names: readonly string[]; readonly block: SyntaxNode | undefined } {
  if (node.type === 'command_name') return { names: [literalName(node)], block: undefined };
  const [inner = node] = node.type === 'command_name_expr' ? namedChildren(node) : [node];
  if (inner.type === 'command_name') return { names: [literalName(inner)], block: undefined };
  if (inner.type === 'path_command_name') {
    const parts = namedChildren(inner).map((part) =>
      part.type === 'variable' ? session.evaluate(part) : textValue(part.text),
    );
    const { fields, block } =
      parts.length === 1 ? (parts[0] ?? UNKNOWN_VALUE) : parts.reduce(concatenated, textValue(''));
    return { names: fields.map(({ text }) => text), block };
  }
  const { fields, block } = session.evaluate(inner);
  return { names: fields.map(({ text }) => text), block };
}

/** Quotes and backquotes within a name have no meaning: PowerShell removes them. */
const literalName = (node: SyntaxNode): string =>
  namedChildren(node).length > 0 ? UNKNOWN : node.text.replace(/`([\s\S])/g, '$1').replaceAll(/["']/g, '');

/**
 * The arguments of a command. Elements that the grammar separates are joined where there is no white space between
 * them.
 */
export function argumentsOf(elements: SyntaxNode | undefined, session: Session): readonly Argument[] {
  const args: Argument[] = [];
  for (const group of groupsOf(elements)) {
    const [first, ...others] = group;
    if (first === undefined) continue;
    if (first.type === 'redirection') noteRedirection(first, session);
    else if (first.type === 'stop_parsing')
      args.push(
        ...first.text
          .replace(/^--%\s*/, '')
          .split(/\s+/)
          .filter((word) => word !== '')
          .map(wordArgument),
      );
    else if (first.type === 'command_parameter') args.push(parameterArgument(first, others, session));
    else args.push(valueArgument(group, session));
  }
  return args;
}

/** Groups of adjacent elements; white space separates and commas join. */
function groupsOf(elements: SyntaxNode | undefined): readonly (readonly SyntaxNode[])[] {
  if (!elements) return [];
  const list = elements.type === 'command_elements' ? namedChildren(elements) : [elements];
  const groups: SyntaxNode[][] = [];
  let end = -1;
  for (const element of list) {
    if (element.type === 'command_argument_sep' && element.text.trim() === '') continue;
    const group = groups.at(-1);
    const parts =
      element.type === 'redirection' ||
      element.type === 'stop_parsing' ||
      element.type === 'command_parameter' ||
      element.type === 'script_block_expression';
    // A call is adjacent to its member.
    const member = group?.at(-1);
    if (element.type === 'argument_list' && element.start === end && group && member?.type === 'member_access') {
      group[group.length - 1] = {
        ...member,
        type: 'invokation_expression',
        end: element.end,
        text: `${member.text}${element.text}`,
        children: [...member.children, element],
      };
      end = element.end;
      continue;
    }
    // `a, b` is one list.
    const isList = group !== undefined && (/,$/.test(group.at(-1)?.text ?? '') || element.text.startsWith(','));
    if (group && !parts && (element.start === end || isList)) group.push(element);
    else groups.push([element]);
    end = element.end;
  }
  return groups;
}

const wordArgument = (text: string): Argument => ({ value: wordValue(text), word: field(text, WILD.test(text)) });
const WILD = /[*?[]/;

function parameterArgument(parameter: SyntaxNode, others: readonly SyntaxNode[], session: Session): Argument {
  const text = parameter.text.replaceAll('`', '');
  const name = text.replace(/^-+/, '').toLowerCase();
  if (others.length === 0) return { parameter: name, word: field(text) };
  const isBound = others[0]?.text === ':';
  const value = valueOfGroup(isBound ? others.slice(1) : others, session);
  const word = field(`${text}${isBound ? ':' : ''}${value.fields[0]?.text ?? ''}`);
  return isBound ? { parameter: name, value, word } : { parameter: `${name}${value.fields[0]?.text ?? ''}`, word };
}

function valueArgument(group: readonly SyntaxNode[], session: Session): Argument {
  const [first] = group;
  const isSplat = group.length === 1 && first?.type === 'variable' && first.text.startsWith('@');
  const value = valueOfGroup(group, session);
  const text = value.block
    ? (value.fields[0]?.text ?? '')
    : value.fields.length === 1
      ? (value.fields[0]?.text ?? '')
      : group.map((node) => node.text).join('');
  const isBare = group.every(({ type }) => type === 'generic_token');
  return { value, word: field(text, isBare && WILD.test(text)), ...(isSplat ? { isSplat } : {}) };
}

function valueOfGroup(group: readonly SyntaxNode[], session: Session): Value {
  const [first, ...others] = group.map((node) =>
    node.type === 'generic_token' || node.type === 'command_argument_sep'
      ? wordValue(node.text)
      : session.evaluate(node),
  );
  if (!first) return UNKNOWN_VALUE;
  return others.reduce(joined, first);
}

/** An unquoted word; commas in it make a list. */
function wordValue(text: string): Value {
  const plain = text.replace(/`([\s\S])/g, '$1');
  const words = plain.split(',').filter((word) => word !== '');
  return words.length > 1
    ? { fields: words.map((word) => field(word, WILD.test(word))) }
    : { fields: [field(plain.replace(/^,|,$/g, ''), WILD.test(plain))] };
}

/** Values joined by a comma are a list; adjacent ones are one text. */
const joined = (before: Value, after: Value): Value => {
  const both = concatenated(before, after);
  return before.fields.length > 1 || after.fields.length > 1
    ? { ...both, fields: [...before.fields, ...after.fields, ...both.fields] }
    : {
        ...both,
        fields: [
          ...both.fields,
          ...(before.fields.length === 1 ? [] : before.fields),
          ...textValue('').fields.slice(1),
        ],
      };
};
