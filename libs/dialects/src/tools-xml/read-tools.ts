// SPDX-License-Identifier: Apache-2.0
import { FS_EDIT, FS_EDIT_FILES, FS_LIST, FS_READ, FS_SEARCH, SHELL_SESSION, VALUE_GET } from '@writ/contract';
import type { Resolved } from '../aliases/alias.ts';
import { quoted } from '../text/shown.ts';
import { elementsOf, textOf, type XmlElement } from './element.ts';
import { commandText, exactText, namesVariable, typedText, withSecrets } from './texts.ts';

/** One call of a tool's element; a `read` holds several. */
export interface XmlCall {
  readonly name: string;
  readonly at: number;
  readonly means: Resolved;
}

/** What stands in an element that it can't have: said once, with what it could. */
class Wrong extends Error {}

type Attributes = Readonly<Record<string, 'required' | 'optional'>>;

/** The attributes, if they are those of the element; a variable has no place in them. */
function attributesOf(element: XmlElement, known: Attributes): Readonly<Record<string, string | undefined>> {
  for (const [name, value] of Object.entries(element.attributes)) {
    if (known[name] === undefined)
      throw new Wrong(
        `\`<${element.name}>\` has no attribute ${quoted(name)}${
          Object.keys(known).length === 0
            ? ''
            : `: ${Object.keys(known)
                .map((each) => `\`${each}\``)
                .join(', ')}`
        }`,
      );
    if (namesVariable(value))
      throw new Wrong(`\`$KARYI{…}\` has no place in the attribute ${quoted(name)}: only a command takes it`);
  }
  const missing = Object.keys(known).find(
    (name) => known[name] === 'required' && element.attributes[name] === undefined,
  );
  if (missing !== undefined) throw new Wrong(`\`<${element.name}>\` needs the attribute \`${missing}\``);
  return element.attributes;
}

function onlyText(element: XmlElement): string {
  const [child] = elementsOf(element);
  if (child !== undefined)
    throw new Wrong(
      `\`<${element.name}>\` takes text and no elements: escape ${quoted(`<${child.name}>`)} or put it into CDATA`,
    );
  return textOf(element);
}

function onlyElements(element: XmlElement, names: readonly string[]): XmlElement[] {
  if (textOf(element).trim() !== '') throw new Wrong(`\`<${element.name}>\` takes elements and no text`);
  const children = elementsOf(element);
  const other = children.find(({ name }) => !names.includes(name));
  if (other !== undefined)
    throw new Wrong(
      `\`<${element.name}>\` takes ${names.map((name) => `\`<${name}>\``).join(', ')} and no ${quoted(`<${other.name}>`)}`,
    );
  if (children.length === 0 && names.length > 0)
    throw new Wrong(`\`<${element.name}>\` is empty: it takes ${names.map((name) => `\`<${name}>\``).join(', ')}`);
  return children;
}

function valueOf(read: { readonly text: string } | { readonly problem: string }): string {
  if ('problem' in read) throw new Wrong(read.problem);
  return read.text;
}

const call = (tool_id: string, args: Readonly<Record<string, unknown>>): Resolved => ({ tool_id, args });

function command(element: XmlElement): Resolved {
  attributesOf(element, {});
  const text = commandText(onlyText(element));
  if (text === '') throw new Wrong('`<command>` is empty');
  return call(SHELL_SESSION.tool_id, { command: valueOf(withSecrets(text)) });
}

function input(element: XmlElement): Resolved {
  attributesOf(element, {});
  const text = onlyText(element);
  if (namesVariable(text)) throw new Wrong('`$KARYI{…}` has no place in `<input>`: only a command takes it');
  if (text === '') throw new Wrong('`<input>` is empty');
  return call(SHELL_SESSION.tool_id, { input: valueOf(typedText(text)) });
}

const KEYS = ['c', 'd', 'z', '\\'];

function ctrl(element: XmlElement): Resolved {
  attributesOf(element, {});
  const key = onlyText(element).trim().toLowerCase();
  if (!KEYS.includes(key)) throw new Wrong(`\`<ctrl>\` takes one of ${KEYS.map((each) => `\`${each}\``).join(', ')}`);
  return call(SHELL_SESSION.tool_id, { ctrl: key });
}

function getValue(element: XmlElement): Resolved {
  const { key, reason, note } = attributesOf(element, { key: 'required', reason: 'required', note: 'optional' });
  onlyElements(element, []);
  return call(VALUE_GET.tool_id, { key, reason, ...(note === undefined ? {} : { note }) });
}

function edit(element: XmlElement): Resolved {
  attributesOf(element, {});
  const files = onlyElements(element, ['file']).map(editedFile);
  const [first, second] = files;
  return second === undefined && first !== undefined
    ? call(FS_EDIT.tool_id, first)
    : call(FS_EDIT_FILES.tool_id, { files });
}

function editedFile(file: XmlElement): { path: string; edits: object[] } {
  const { src = '' } = attributesOf(file, { src: 'required' });
  const parts = onlyElements(file, ['find', 'replace']);
  const edits: object[] = [];
  for (let at = 0; at < parts.length; at += 2) edits.push(oneEdit(parts[at], parts[at + 1]));
  return { path: src, edits };
}

function oneEdit(find: XmlElement | undefined, replace: XmlElement | undefined): object {
  if (find?.name !== 'find' || replace?.name !== 'replace')
    throw new Wrong('`<file>` takes pairs: each `<find>` is followed by its `<replace>`');
  const { count } = attributesOf(find, { count: 'optional' });
  attributesOf(replace, {});
  if (count !== undefined && count !== 'all' && !/^[1-9][0-9]{0,5}$/.test(count))
    throw new Wrong('`count` is `all` or a number of matches');
  const [from, to] = [find, replace].map((each) => exactText(onlyText(each))) as [string, string];
  if (from === '') throw new Wrong('`<find>` is empty');
  if (namesVariable(from) || namesVariable(to))
    throw new Wrong("`$KARYI{…}` has no place in a file's content: only a command takes it");
  return {
    find: from,
    replace: to,
    ...(count === undefined ? {} : { count: count === 'all' ? 'all' : Number(count) }),
  };
}

function readFile(file: XmlElement): Resolved {
  const { src = '' } = attributesOf(file, { src: 'required' });
  onlyElements(file, []);
  // What it is isn't known here: a directory is written with a slash at its end.
  return src === '' || src === '.' || src.endsWith('/')
    ? call(FS_LIST.tool_id, src === '' ? {} : { path: src })
    : call(FS_READ.tool_id, { path: src });
}

function search(element: XmlElement): Resolved {
  const { src, pattern, regex, max } = attributesOf(element, {
    src: 'optional',
    pattern: 'required',
    regex: 'optional',
    max: 'optional',
  });
  onlyElements(element, []);
  if (regex !== undefined && regex !== 'true' && regex !== 'false') throw new Wrong('`regex` is `true` or `false`');
  if (max !== undefined && !/^[1-9][0-9]{0,5}$/.test(max)) throw new Wrong('`max` is a number of matches');
  return call(FS_SEARCH.tool_id, {
    pattern,
    ...(src === undefined ? {} : { path: src }),
    ...(regex === undefined ? {} : { regex: regex === 'true' }),
    ...(max === undefined ? {} : { max: Number(max) }),
  });
}

const TOOLS: Readonly<Record<string, (element: XmlElement) => Resolved>> = {
  command,
  edit,
  get_value: getValue,
  input,
  ctrl,
};
const READS: Readonly<Record<string, (element: XmlElement) => Resolved>> = { file: readFile, search };
export const XML_TOOLS: readonly string[] = ['command', 'edit', 'read', 'get_value', 'input', 'ctrl'];

/**
 * What an element below `<tools>` asks for: a call, or several of a `read`; each with what it means or why it means
 * nothing.
 */
export function callsOf(element: XmlElement): XmlCall[] {
  const means = attempt(() => {
    if (element.name !== 'read') return toolOf(element)(element);
    attributesOf(element, {});
    onlyElements(element, Object.keys(READS));
    return null;
  });
  if (means !== null) return [{ name: element.name, at: element.at, means }];
  return elementsOf(element).map((child) => ({
    name: `read ${child.name}`,
    at: child.at,
    means: attempt(() => (READS[child.name] ?? readFile)(child)),
  }));
}

function toolOf({ name }: XmlElement): (element: XmlElement) => Resolved {
  const read = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (read === undefined)
    throw new Wrong(`there is no tool ${quoted(`<${name}>`)}: ${XML_TOOLS.map((each) => `\`<${each}>\``).join(', ')}`);
  return read;
}

function attempt<R extends Resolved | null>(read: () => R): R | { readonly problem: string } {
  try {
    return read();
  } catch (error) {
    if (error instanceof Wrong) return { problem: error.message };
    throw error;
  }
}
