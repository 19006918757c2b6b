// SPDX-License-Identifier: Apache-2.0
import {
  AGENT_SPAWN,
  FS_EDIT,
  FS_LIST,
  FS_READ,
  FS_SEARCH,
  FS_WRITE,
  SEARCH_RESULTS_MAX,
  SHELL_RUN,
  SHELL_SESSION,
  SPAWN_TASK_CHARS_MAX,
  WEB_FETCH,
  ToolPattern,
  WEB_SEARCH,
  YIELD_MS,
} from '@writ/contract';
import { Type } from 'typebox';
import type { Args } from '../dialect.ts';
import { rangeOf, type Alias } from './alias.ts';
import { SUB_AGENT_NEEDS, subAgentTask, toolsNamed } from './sub-agent.ts';

const closed = { additionalProperties: false } as const;
const Path = Type.String({ minLength: 1, maxLength: 4_096 });
const Count = Type.Integer({ minimum: 1, maximum: 1_000_000 });
const Ms = Type.Integer({ minimum: 1, maximum: 86_400_000 });
/** The ranges of the arguments are those of the tools that they reach: see `clamps`. */
const COMMAND_CLAMPS = { timeoutMs: rangeOf(SHELL_RUN, 'timeout_ms') } as const;

const Written = Type.Object({ path: Path, content: Type.String() }, closed);
const Edited = Type.Object(
  {
    path: Path,
    oldText: Type.String({ minLength: 1 }),
    newText: Type.String(),
    replaceAll: Type.Optional(Type.Boolean()),
  },
  closed,
);
const Commanded = Type.Object(
  { command: Type.String({ minLength: 1, maxLength: 65_536 }), cwd: Type.Optional(Path), timeoutMs: Type.Optional(Ms) },
  closed,
);
const COMMAND_RENAMES = { command: 'command', cwd: 'cwd', timeoutMs: 'timeout_ms' } as const;

/** Replaces one text by another, once or at every match. */
const EDIT_SHAPE: Alias['shape'] = {
  toCanonical: ({ path, oldText, newText, replaceAll }) => ({
    path,
    edits: [{ find: oldText, replace: newText, ...(replaceAll === true ? { count: 'all' } : {}) }],
  }),
  fromCanonical: ({ path, edits }) => {
    const [first, second] = edits as readonly { find: string; replace: string; count?: unknown }[];
    if (first === undefined || second !== undefined || (first.count !== undefined && first.count !== 'all'))
      return null;
    return {
      path,
      oldText: first.find,
      newText: first.replace,
      ...(first.count === 'all' ? { replaceAll: true } : {}),
    };
  },
};

/** A command in the terminal is waited for as long as the tool waits at most; it goes on behind that. */
const TERMINAL_WAIT = { min: 100, max: YIELD_MS.max } as const;

const quotedWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * A terminal has its own directory: a command with another one first changes into it, within the same command, which is
 * decided on as a whole.
 */
const TERMINAL_SHAPE: Alias['shape'] = {
  toCanonical: ({ command, cwd, timeoutMs }) => ({
    command: cwd === undefined ? command : `cd -- ${quotedWord(cwd as string)} && {\n${command as string}\n}`,
    ...(timeoutMs === undefined ? {} : { yield_ms: timeoutMs }),
  }),
  fromCanonical: ({ command, yield_ms, ...others }: Args) =>
    command === undefined || Object.keys(others).length > 0
      ? null
      : { command, ...(yield_ms === undefined ? {} : { timeoutMs: yield_ms }) },
};

const staged = { mode: 'stage' } as const;
const WRITE_RENAMES = { path: 'path', content: 'content' } as const;

/** Tools of the envelope, by the names in the specification. */
export const YIPS_TOOLS: readonly Alias[] = [
  {
    name: 'read_file',
    tool_id: FS_READ.tool_id,
    summary: 'reads a text file',
    parameters: Type.Object({ path: Path, maxBytes: Type.Optional(Count) }, closed),
    renames: { path: 'path', maxBytes: null },
    charsMax: 'maxBytes',
  },
  {
    name: 'preview_write_file',
    tool_id: FS_WRITE.tool_id,
    ...staged,
    summary: 'stages the whole content of a file; answers with `metadata.token` and `metadata.diffPreview`',
    parameters: Written,
    renames: WRITE_RENAMES,
  },
  {
    name: 'preview_edit_file',
    tool_id: FS_EDIT.tool_id,
    ...staged,
    summary: 'stages an edit: `oldText` must occur exactly once unless `replaceAll`',
    parameters: Edited,
    renames: {},
    shape: EDIT_SHAPE,
  },
  {
    name: 'apply_file_change',
    tool_id: FS_WRITE.tool_id,
    mode: 'apply',
    summary: 'applies a staged change by its token, once, until its `metadata.expiresAt`',
    parameters: Type.Object({ token: Type.String({ minLength: 1, maxLength: 256 }) }, closed),
    renames: { token: 'token' },
  },
  {
    name: 'write_file',
    tool_id: FS_WRITE.tool_id,
    ...staged,
    legacy: true,
    summary: 'stages, as `preview_write_file`',
    parameters: Written,
    renames: WRITE_RENAMES,
  },
  {
    name: 'edit_file',
    tool_id: FS_EDIT.tool_id,
    ...staged,
    legacy: true,
    summary: 'stages, as `preview_edit_file`',
    parameters: Edited,
    renames: {},
    shape: EDIT_SHAPE,
  },
  {
    name: 'list_dir',
    tool_id: FS_LIST.tool_id,
    summary: 'lists a directory',
    parameters: Type.Object({ path: Type.Optional(Path) }, closed),
    renames: { path: 'path' },
  },
  {
    name: 'grep',
    tool_id: FS_SEARCH.tool_id,
    summary: 'searches files by a regular expression (RE2)',
    parameters: Type.Object(
      {
        pattern: Type.String({ minLength: 1, maxLength: 1_024 }),
        path: Type.Optional(Path),
        maxMatches: Type.Optional(Count),
      },
      closed,
    ),
    renames: { pattern: 'pattern', path: 'path', maxMatches: 'max' },
    implied: { regex: true },
    clamps: { maxMatches: rangeOf(FS_SEARCH, 'max') },
  },
  {
    name: 'run_command',
    tool_id: SHELL_RUN.tool_id,
    summary: 'runs a shell command',
    parameters: Commanded,
    renames: COMMAND_RENAMES,
    clamps: COMMAND_CLAMPS,
  },
];

const TODO_PATTERN = '\\b(?:TODO|FIXME)\\b';

/** Skills, which have their own type of action. */
export const YIPS_SKILLS: readonly Alias[] = [
  {
    name: 'search',
    tool_id: WEB_SEARCH.tool_id,
    summary: 'searches the web',
    parameters: Type.Object(
      { query: Type.String({ minLength: 1, maxLength: 1_024 }), maxResults: Type.Optional(Count) },
      closed,
    ),
    renames: { query: 'query', maxResults: 'max_results' },
    clamps: { maxResults: { min: 1, max: SEARCH_RESULTS_MAX } },
  },
  {
    name: 'fetch',
    tool_id: WEB_FETCH.tool_id,
    summary: 'reads a web page as text',
    parameters: Type.Object(
      { url: Type.String({ minLength: 1, maxLength: 2_048 }), maxChars: Type.Optional(Count) },
      closed,
    ),
    renames: { url: 'url', maxChars: 'max_chars' },
    clamps: { maxChars: rangeOf(WEB_FETCH, 'max_chars') },
  },
  {
    name: 'build',
    tool_id: SHELL_RUN.tool_id,
    summary: 'runs the command that builds',
    parameters: Commanded,
    renames: COMMAND_RENAMES,
    clamps: COMMAND_CLAMPS,
  },
  {
    name: 'todos',
    tool_id: FS_SEARCH.tool_id,
    summary: 'finds TODO and FIXME comments',
    parameters: Type.Object(
      { path: Type.Optional(Path), pattern: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })) },
      closed,
    ),
    renames: {},
    shape: {
      toCanonical: ({ path, pattern }) => ({
        pattern: pattern ?? TODO_PATTERN,
        regex: true,
        ...(path === undefined ? {} : { path }),
      }),
      fromCanonical: ({ path, pattern, regex, ...others }) =>
        regex !== true || Object.keys(others).length > 0
          ? null
          : { ...(path === undefined ? {} : { path }), ...(pattern === TODO_PATTERN ? {} : { pattern }) },
    },
  },
  {
    name: 'virtual_terminal',
    tool_id: SHELL_SESSION.tool_id,
    summary: "runs a command in the session's terminal",
    parameters: Commanded,
    renames: {},
    shape: TERMINAL_SHAPE,
    clamps: { timeoutMs: TERMINAL_WAIT },
  },
];

/** The tools that a name of `allowed_tools` stands for. Staging a change reads the file, and a token applies either. */
const TOOLS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  [...YIPS_TOOLS, ...YIPS_SKILLS].map(({ name, tool_id, mode }) => [
    name,
    mode === 'stage' ? [tool_id, FS_READ.tool_id] : mode === 'apply' ? [FS_WRITE.tool_id, FS_EDIT.tool_id] : [tool_id],
  ]),
);

/** Marks a tool's id that has no dot, so that a misspelt name of the dialect is never taken for one. */
const ID_PREFIX = 'tool:';

/** The name of a tool that the dialect has no name for: its id. */
export const yipsNameOf = (toolId: string): string => (toolId.includes('.') ? toolId : `${ID_PREFIX}${toolId}`);

/** The id in such a name; null for any other name. */
export function yipsToolId(name: string): string | null {
  if (name.startsWith(ID_PREFIX)) return name.slice(ID_PREFIX.length);
  return name.includes('.') ? name : null;
}

/** A sub-agent; it has a task and no name. */
export const YIPS_SUBAGENT: Alias = {
  name: 'subagent',
  tool_id: AGENT_SPAWN.tool_id,
  summary: 'gives a task to an agent below this one',
  parameters: Type.Object(
    {
      task: Type.String({ minLength: 1, maxLength: SPAWN_TASK_CHARS_MAX }),
      context: Type.Optional(
        Type.String({
          maxLength: SPAWN_TASK_CHARS_MAX,
          description: 'what it has to know: it sees nothing of this conversation',
        }),
      ),
      allowed_tools: Type.Optional(
        Type.Array(ToolPattern, {
          minItems: 1,
          maxItems: 64,
          description: 'names of tools and skills, or ids such as fs.*; yours by default',
        }),
      ),
      max_rounds: Type.Optional(Count),
    },
    closed,
  ),
  renames: {},
  needed: SUB_AGENT_NEEDS,
  clamps: { max_rounds: rangeOf(AGENT_SPAWN, 'rounds_max') },
  shape: {
    toCanonical: ({ task, context, allowed_tools, max_rounds }) => ({
      task: subAgentTask(task as string, context as string | undefined),
      ...(allowed_tools === undefined ? {} : { tools: toolsNamed(allowed_tools as string[], TOOLS_OF) }),
      ...(max_rounds === undefined ? {} : { rounds_max: max_rounds }),
    }),
    fromCanonical: ({ task, tools, rounds_max, ...others }) =>
      Object.keys(others).length > 0
        ? null
        : {
            task,
            ...(tools === undefined ? {} : { allowed_tools: tools }),
            ...(rounds_max === undefined ? {} : { max_rounds: rounds_max }),
          },
  },
};
