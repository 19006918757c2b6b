// SPDX-License-Identifier: Apache-2.0
import {
  FS_EDIT,
  FS_EDIT_FILES,
  FS_LIST,
  FS_READ,
  FS_SEARCH,
  SHELL_SESSION,
  TOOLS as TOOLS_OF_WRIT,
  VALUE_GET,
} from '@writ/contract';
import type { Resolved } from '../aliases/alias.ts';
import { canonicalCall, isToolId } from '../aliases/canonical.ts';
import type { Args } from '../dialect.ts';
import { readJson } from '../text/read-json.ts';
import { quoted } from '../text/truncate.ts';
import { elementsOf, textOf, type XmlElement } from './element.ts';
import { commandText, exactText, readVariables, typedText, withSecrets } from './texts.ts';
import { escapeVariables, fillVariables, mapTexts } from './variables.ts';

/** One call of a tool's element; a `read` may contain several. */
export interface XmlCall {
  readonly name: string;
  readonly at: number;
  readonly means: Resolved;
}

/** An error in an element, with the allowed forms in its message. */
class ElementError extends Error {}

type Attributes = Readonly<Record<string, 'required' | 'optional'>>;

/** The attributes, if the element allows them. */
function attributesOf(element: XmlElement, known: Attributes): Readonly<Record<string, string | undefined>> {
  for (const name of Object.keys(element.attributes)) {
    if (known[name] === undefined)
      throw new ElementError(
        `\`<${element.name}>\` has no attribute ${quoted(name)}${
          Object.keys(known).length === 0
            ? ''
            : `: ${Object.keys(known)
                .map((each) => `\`${each}\``)
                .join(', ')}`
        }`,
      );
  }
  const missing = Object.keys(known).find(
    (name) => known[name] === 'required' && element.attributes[name] === undefined,
  );
  if (missing !== undefined) throw new ElementError(`\`<${element.name}>\` needs the attribute \`${missing}\``);
  return element.attributes;
}

function onlyText(element: XmlElement): string {
  const [child] = elementsOf(element);
  if (child !== undefined)
    throw new ElementError(
      `\`<${element.name}>\` takes text and no elements: escape ${quoted(`<${child.name}>`)} or put it into CDATA`,
    );
  return textOf(element);
}

function onlyElements(element: XmlElement, names: readonly string[]): XmlElement[] {
  if (textOf(element).trim() !== '') throw new ElementError(`\`<${element.name}>\` takes elements and no text`);
  const children = elementsOf(element);
  const other = children.find(({ name }) => !names.includes(name));
  if (other !== undefined)
    throw new ElementError(
      `\`<${element.name}>\` takes ${names.map((name) => `\`<${name}>\``).join(', ')} and no ${quoted(`<${other.name}>`)}`,
    );
  if (children.length === 0 && names.length > 0)
    throw new ElementError(
      `\`<${element.name}>\` is empty: it takes ${names.map((name) => `\`<${name}>\``).join(', ')}`,
    );
  return children;
}

function textOrThrow(read: { readonly text: string } | { readonly problem: string }): string {
  if ('problem' in read) throw new ElementError(read.problem);
  return read.text;
}

/** Variables of one call: each is a call of its own to get its value. */
const VARIABLES_MAX = 16;

/**
 * A call with variables: references to secrets in arguments that take those; in all others they are filled in before it
 * is proposed.
 */
function call(tool_id: string, args: Args): Resolved {
  const names = new Set<string>();
  for (const [key, value] of Object.entries(args))
    if (!takesSecrets(tool_id, key)) for (const name of variablesIn(value)) names.add(name);
  if (names.size > VARIABLES_MAX)
    throw new ElementError(`it names ${names.size} variables: ${VARIABLES_MAX} at most are filled into one call`);
  // What is filled in later is escaped until then, and so is a reference.
  const referred = (text: string): string => textOrThrow(withSecrets(text));
  const withReferences = Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      key,
      takesSecrets(tool_id, key) ? mapTexts(value, (text) => escapeVariables(referred(text))) : value,
    ]),
  );
  return names.size === 0
    ? { tool_id, args: fillVariables(withReferences, {}) }
    : { tool_id, args: withReferences, variables: [...names].sort() };
}

const takesSecrets = (toolId: string, key: string): boolean =>
  TOOLS_OF_WRIT.get(toolId)?.accepts_secrets.includes(key) ?? false;

/** The names of the variables in a value. */
function* variablesIn(value: unknown): Generator<string> {
  for (const text of textsIn(value)) {
    const read = readVariables(text);
    if ('problem' in read) throw new ElementError(read.problem);
    for (const part of read.parts) if (typeof part !== 'string') yield part.name;
  }
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value) as unknown[]) yield* textsIn(each);
}

function command(element: XmlElement): Resolved {
  attributesOf(element, {});
  const text = commandText(onlyText(element));
  if (text === '') throw new ElementError('`<command>` is empty');
  return call(SHELL_SESSION.tool_id, { command: text });
}

function input(element: XmlElement): Resolved {
  attributesOf(element, {});
  const text = onlyText(element);
  if (text === '') throw new ElementError('`<input>` is empty');
  return call(SHELL_SESSION.tool_id, { input: textOrThrow(typedText(text)) });
}

const KEYS = ['c', 'd', 'z', '\\'];

function ctrl(element: XmlElement): Resolved {
  attributesOf(element, {});
  const key = onlyText(element).trim().toLowerCase();
  if (!KEYS.includes(key))
    throw new ElementError(`\`<ctrl>\` takes one of ${KEYS.map((each) => `\`${each}\``).join(', ')}`);
  return call(SHELL_SESSION.tool_id, { ctrl: key });
}

function getValue(element: XmlElement): Resolved {
  const { key, reason, note, secret } = attributesOf(element, {
    key: 'required',
    reason: 'required',
    note: 'optional',
    secret: 'optional',
  });
  onlyElements(element, []);
  if (secret !== undefined && secret !== 'true' && secret !== 'false')
    throw new ElementError('`secret` is `true` or `false`');
  return call(VALUE_GET.tool_id, {
    key,
    reason,
    ...(note === undefined ? {} : { note }),
    ...(secret === undefined ? {} : { secret: secret === 'true' }),
  });
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
    throw new ElementError('`<file>` takes pairs: each `<find>` is followed by its `<replace>`');
  const { count } = attributesOf(find, { count: 'optional' });
  attributesOf(replace, {});
  if (count !== undefined && count !== 'all' && !/^[1-9][0-9]{0,5}$/.test(count))
    throw new ElementError('`count` is `all` or a number of matches');
  const [from, to] = [find, replace].map((each) => exactText(onlyText(each))) as [string, string];
  if (from === '') throw new ElementError('`<find>` is empty');
  return {
    find: from,
    replace: to,
    ...(count === undefined ? {} : { count: count === 'all' ? 'all' : Number(count) }),
  };
}

function readFile(file: XmlElement): Resolved {
  const { src = '' } = attributesOf(file, { src: 'required' });
  onlyElements(file, []);
  // The kind of path isn't known here: a directory is written with a slash at its end.
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
  if (regex !== undefined && regex !== 'true' && regex !== 'false')
    throw new ElementError('`regex` is `true` or `false`');
  if (max !== undefined && !/^[1-9][0-9]{0,5}$/.test(max)) throw new ElementError('`max` is a number of matches');
  return call(FS_SEARCH.tool_id, {
    pattern,
    ...(src === undefined ? {} : { path: src }),
    ...(regex === undefined ? {} : { regex: regex === 'true' }),
    ...(max === undefined ? {} : { max: Number(max) }),
  });
}

/** Any tool by its id, with its arguments as JSON. */
function canonical(element: XmlElement): Resolved {
  const { tool = '' } = attributesOf(element, { tool: 'required' });
  const text = onlyText(element);
  const json = text.trim() === '' ? { value: {} } : readJson(text);
  if ('problem' in json)
    throw new ElementError(`the arguments of ${quoted(tool)} are no JSON that is taken: ${json.problem}`);
  const means = canonicalCall(tool, json.value);
  if (means === null) throw new ElementError(`there is no tool ${quoted(tool)}: \`tool\` names one by its id`);
  return 'problem' in means ? means : call(tool, means.args);
}

const TOOLS: Readonly<Record<string, (element: XmlElement) => Resolved>> = {
  command,
  edit,
  get_value: getValue,
  input,
  ctrl,
  call: canonical,
};
const READS: Readonly<Record<string, (element: XmlElement) => Resolved>> = { file: readFile, search };
export const XML_TOOLS: readonly string[] = ['command', 'edit', 'read', 'get_value', 'input', 'ctrl', 'call'];

/** The calls of an element below `<tools>`: one, or several of a `read`; each with its meaning or its problem. */
export function callsOf(element: XmlElement): XmlCall[] {
  const means = attempt(() => {
    if (element.name !== 'read') return toolOf(element)(element);
    attributesOf(element, {});
    onlyElements(element, Object.keys(READS));
    return null;
  });
  if (means !== null) return [{ name: nameOf(element), at: element.at, means }];
  return elementsOf(element).map((child) => ({
    name: `read ${child.name}`,
    at: child.at,
    means: attempt(() => (READS[child.name] ?? readFile)(child)),
  }));
}

/** As results name it: a generic call with its tool. */
const nameOf = ({ name, attributes: { tool } }: XmlElement): string =>
  name === 'call' && tool !== undefined && isToolId(tool) ? `call ${tool}` : name;

function toolOf({ name }: XmlElement): (element: XmlElement) => Resolved {
  const read = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (read === undefined)
    throw new ElementError(
      `there is no tool ${quoted(`<${name}>`)}: ${XML_TOOLS.map((each) => `\`<${each}>\``).join(', ')}`,
    );
  return read;
}

function attempt<R extends Resolved | null>(read: () => R): R | { readonly problem: string } {
  try {
    return read();
  } catch (error) {
    if (error instanceof ElementError) return { problem: error.message };
    throw error;
  }
}
