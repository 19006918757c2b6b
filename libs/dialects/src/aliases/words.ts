// SPDX-License-Identifier: Apache-2.0
//
// Messages and hints of refusals name canonical tools and arguments. A model knows those of its dialect, so they are
// translated when they are rendered: by the tables of aliases, and whoever wrote them.
import {
  AGENT_SPAWN,
  FS_EDIT,
  FS_EDIT_FILES,
  FS_LIST,
  FS_READ,
  FS_SEARCH,
  SHELL_SESSION,
  TOOLS,
  VALUE_GET,
  WEB_FETCH,
} from '@writ/contract';
import type { Answer, DialectName } from '../dialect.ts';
import type { Outcome } from '../outcome.ts';
import type { Alias } from './alias.ts';
import { BLOCK_ALIASES, DANGEROUS_SHELL, MK8_RUN, MK8_SHELL } from './blocks.ts';
import { nativeNameOf } from './native.ts';
import { YIPS_SKILLS, YIPS_SUBAGENT, YIPS_TOOLS, yipsNameOf } from './yips.ts';

/** A call as the model wrote it, as far as words depend on it. */
export type Named = Pick<Answer, 'name' | 'tool_id'>;

/** The words of a dialect. Both functions return the canonical name where the dialect has no other. */
interface Words {
  readonly tool: (toolId: string) => string;
  /** the argument of a call, by its canonical name */
  readonly argument: (call: Named, name: string) => string;
  /** how a reference to a secret begins */
  readonly reference: string;
}

const CANONICAL_REFERENCE = '${secret:';
const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** Arguments of aliases that have another shape, by tool and canonical name: the names of all dialects. */
const RESHAPED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  [FS_EDIT.tool_id]: { edits: ['oldText'], find: ['oldText'], replace: ['newText'], count: ['replaceAll'] },
  [SHELL_SESSION.tool_id]: { yield_ms: ['timeoutMs'] },
  [MK8_RUN]: { sandbox: ['sandboxId'] },
  [WEB_FETCH.tool_id]: { site: ['targetId'] },
  [AGENT_SPAWN.tool_id]: { tools: ['allowedTools', 'allowed_tools'], rounds_max: ['maxRounds', 'max_rounds'] },
};

/** The name that an alias has for an argument. */
function aliasArgument(alias: Alias | undefined, name: string): string {
  if (alias === undefined) return name;
  const renamed = Object.entries(alias.renames).find(([, canonical]) => canonical === name)?.[0];
  if (renamed !== undefined) return renamed;
  const reshaped = alias.shape === undefined ? undefined : own(RESHAPED, alias.tool_id);
  const names = reshaped === undefined ? undefined : own(reshaped, name);
  return names?.find((each) => Object.hasOwn(alias.parameters.properties, each)) ?? name;
}

const YIPS = [...YIPS_TOOLS, ...YIPS_SKILLS, YIPS_SUBAGENT];
const yipsTool = new Map(
  YIPS.filter(({ legacy, mode }) => legacy !== true && mode !== 'apply')
    .reverse()
    .map(({ tool_id, name }) => [tool_id, name]),
);

const BLOCK_SHELLS: Readonly<Record<string, string>> = {
  [MK8_RUN]: MK8_SHELL.name,
  [DANGEROUS_SHELL]: 'dangerous_shell',
};
const XML_TOOLS: Readonly<Record<string, string>> = {
  [FS_READ.tool_id]: '<read>',
  [FS_LIST.tool_id]: '<read>',
  [FS_SEARCH.tool_id]: '<search>',
  [FS_EDIT.tool_id]: '<edit>',
  [FS_EDIT_FILES.tool_id]: '<edit>',
  [SHELL_SESSION.tool_id]: '<command>',
  [VALUE_GET.tool_id]: '<get_value>',
};
const XML_ARGUMENTS: Readonly<Record<string, string>> = {
  path: 'src',
  edits: '<find>',
  find: '<find>',
  replace: '<replace>',
  files: '<file>',
  command: '<command>',
  input: '<input>',
  ctrl: '<ctrl>',
};

const WORDS: Readonly<Record<'blocks' | 'tools-xml' | 'yips' | 'native', Words>> = {
  // Every canonical tool is an action of its own name, except that the shells have names of the specification.
  blocks: {
    tool: (id) => own(BLOCK_SHELLS, id) ?? id,
    argument: ({ name, tool_id }, argument) =>
      aliasArgument(
        BLOCK_ALIASES.find((alias) => alias.name === name && alias.tool_id === tool_id),
        argument,
      ),
    reference: CANONICAL_REFERENCE,
  },
  'tools-xml': {
    tool: (id) => own(XML_TOOLS, id) ?? `<call tool="${id}">`,
    argument: ({ name }, argument) =>
      name?.startsWith('call ') === true ? argument : (own(XML_ARGUMENTS, argument) ?? argument),
    reference: '$KARYI{',
  },
  yips: {
    tool: (id) => yipsTool.get(id) ?? yipsNameOf(id),
    argument: ({ name, tool_id }, argument) =>
      aliasArgument(
        YIPS.find((alias) => alias.name === name && alias.tool_id === tool_id),
        argument,
      ),
    reference: CANONICAL_REFERENCE,
  },
  native: { tool: nativeNameOf, argument: (_call, argument) => argument, reference: CANONICAL_REFERENCE },
};
const wordsOf = (dialect: DialectName): Words =>
  dialect === 'blocks' || dialect === 'tools-xml' || dialect === 'yips' ? WORDS[dialect] : WORDS.native;

const IDS: ReadonlySet<string> = new Set(TOOLS.keys());
const IN_BACKTICKS = /`([^`]{1,512})`/g;
const POINTER = /^\/[A-Za-z0-9_]+(?:\/[A-Za-z0-9_-]+)*$/;

/** The names of a tool's arguments. */
function argumentsOf(toolId: string | null): ReadonlySet<string> {
  const { properties = {} } = (TOOLS.get(toolId ?? '')?.parameters ?? {}) as { properties?: object };
  return new Set(Object.keys(properties));
}

/** A JSON pointer into the arguments, in the dialect's words: the last name in it that the dialect has another for. */
function pointerInWords(words: Words, call: Named, pointer: string): string {
  const named = pointer.split('/').filter((part) => part !== '' && !/^\d+$/.test(part));
  const renamed = named.findLast((part) => words.argument(call, part) !== part);
  return renamed === undefined ? pointer : words.argument(call, renamed);
}

/** `bare`: names of arguments without a slash are translated too, so the text MUST quote nothing of its caller's. */
function textInWords(words: Words, call: Named, text: string, bare: boolean): string {
  const known = argumentsOf(call.tool_id);
  const translated = text.replace(IN_BACKTICKS, (whole, token: string) => {
    if (IDS.has(token)) return `\`${words.tool(token)}\``;
    if (POINTER.test(token) && known.has(token.split('/')[1] ?? '')) return `\`${pointerInWords(words, call, token)}\``;
    return bare && known.has(token) ? `\`${words.argument(call, token)}\`` : whole;
  });
  return translated.replaceAll(CANONICAL_REFERENCE, words.reference);
}

/** Faults whose messages name arguments and quote nothing that could be taken for one. */
const NAMES_ARGUMENTS: ReadonlySet<string> = new Set(['session.busy', 'session.idle']);

/** The error of a call, in the words of the dialect that it was written in. */
export function errorInWords(dialect: DialectName, call: Named, error: Outcome['error']): Outcome['error'] {
  if (error === null) return null;
  const words = wordsOf(dialect);
  const { code, message, hint } = error;
  return {
    ...error,
    message: textInWords(words, call, message, NAMES_ARGUMENTS.has(code)),
    ...(typeof hint === 'string' ? { hint: textInWords(words, call, hint, true) } : {}),
  };
}

/** The answer of a call, in the words of the dialect that it was written in. */
export function answerInWords(dialect: DialectName, answer: Answer): Answer {
  const { outcome, tool_id } = answer;
  return {
    ...answer,
    outcome: {
      ...outcome,
      error: errorInWords(dialect, answer, outcome.error),
      result: tool_id === VALUE_GET.tool_id ? valueInWords(dialect, outcome.result) : outcome.result,
    },
  };
}

/** The result that stands for a secret, with the reference as the dialect writes it. */
function valueInWords(dialect: DialectName, result: unknown): unknown {
  const { reference } = (typeof result === 'object' ? (result ?? {}) : {}) as { reference?: unknown };
  return typeof reference === 'string'
    ? { ...(result as object), reference: reference.replaceAll(CANONICAL_REFERENCE, wordsOf(dialect).reference) }
    : result;
}
