// SPDX-License-Identifier: Apache-2.0
import {
  AGENT_SPAWN,
  FS_EDIT,
  FS_LIST,
  FS_READ,
  FS_SEARCH,
  FS_WRITE,
  NOT_AVAILABLE,
  SEARCH_RESULTS_MAX,
  SHELL_RUN,
  SHELL_SESSION,
  SPAWN_ROUNDS_MAX,
  WEB_FETCH,
  YIELD_MS,
} from '@writ/contract';
import { Type } from 'typebox';
import type { Args } from '../dialect.ts';
import type { Alias } from './alias.ts';

const closed = { additionalProperties: false } as const;
const Path = Type.String({ minLength: 1, maxLength: 4_096 });
const Count = Type.Integer({ minimum: 1, maximum: 1_000_000 });
const Ms = Type.Integer({ minimum: 1, maximum: 86_400_000 });

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

/** One text for another, once or wherever it stands. */
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

const quotedWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** A terminal has a directory of its own: another one is entered first, in the same command that is judged. */
const TERMINAL_SHAPE: Alias['shape'] = {
  toCanonical: ({ command, cwd, timeoutMs }) => ({
    command: cwd === undefined ? command : `cd -- ${quotedWord(cwd as string)} && {\n${command as string}\n}`,
    ...(timeoutMs === undefined ? {} : { yield_ms: Math.min(Math.max(timeoutMs as number, 100), YIELD_MS.max) }),
  }),
  fromCanonical: ({ command, yield_ms, ...others }: Args) =>
    command === undefined || Object.keys(others).length > 0
      ? null
      : { command, ...(yield_ms === undefined ? {} : { timeoutMs: yield_ms }) },
};

/** Who asks for more than there can be gets what there can be. */
const SEARCH_SHAPE: Alias['shape'] = {
  toCanonical: ({ query, maxResults }) => ({
    query,
    ...(maxResults === undefined ? {} : { max_results: Math.min(maxResults as number, SEARCH_RESULTS_MAX) }),
  }),
  fromCanonical: ({ query, max_results, ...others }) =>
    Object.keys(others).length > 0
      ? null
      : { query, ...(max_results === undefined ? {} : { maxResults: max_results }) },
};

const staged = { mode: 'stage' } as const;
const WRITE_RENAMES = { path: 'path', content: 'content' } as const;

/** Tools of the envelope, by the names that the document allows. */
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
    summary: 'applies a staged change by its token, once, within 10 minutes',
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
  },
  {
    name: 'run_command',
    tool_id: SHELL_RUN.tool_id,
    summary: 'runs a shell command',
    parameters: Commanded,
    renames: COMMAND_RENAMES,
  },
];

const TODO_PATTERN = '\\b(?:TODO|FIXME)\\b';

/** Skills, which stand in actions of their own type. */
export const YIPS_SKILLS: readonly Alias[] = [
  {
    name: 'search',
    tool_id: NOT_AVAILABLE.searchWeb,
    summary: 'searches the web',
    parameters: Type.Object(
      { query: Type.String({ minLength: 1, maxLength: 1_024 }), maxResults: Type.Optional(Count) },
      closed,
    ),
    renames: {},
    shape: SEARCH_SHAPE,
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
  },
  {
    name: 'build',
    tool_id: SHELL_RUN.tool_id,
    summary: 'runs the command that builds',
    parameters: Commanded,
    renames: COMMAND_RENAMES,
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
  },
];

/** An agent below this one; it has a task and no name. */
export const YIPS_SUBAGENT: Alias = {
  name: 'subagent',
  tool_id: AGENT_SPAWN.tool_id,
  summary: 'gives a task to an agent below this one',
  parameters: Type.Object(
    {
      task: Type.String({ minLength: 1, maxLength: 12_000 }),
      max_rounds: Type.Optional(Type.Integer({ minimum: 1, maximum: SPAWN_ROUNDS_MAX })),
    },
    closed,
  ),
  renames: { task: 'task', max_rounds: 'rounds_max' },
};
