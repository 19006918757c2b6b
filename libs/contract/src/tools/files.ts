// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { INLINE_LIMITS, READS_SECRETS_LABELS, type FsResource, type ToolDefinition } from './definition.ts';

const Path = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: 'a path of the workspace, relative or below /workspace',
});
const closed = { additionalProperties: false } as const;

const touches =
  (access: FsResource['access'], fallback?: string) =>
  (args: Readonly<Record<string, unknown>>): readonly FsResource[] => [
    { kind: 'fs', access, path: typeof args['path'] === 'string' ? args['path'] : (fallback ?? '') },
  ];

const inline = { class: 'inline', accepts_secrets: [], labels: [], limits: INLINE_LIMITS, version: 2 } as const;
const reads = { ...inline, category: 'read', mutating: false } as const;
const writes = { ...inline, category: 'write', mutating: true } as const;

export const FS_READ: ToolDefinition = {
  ...reads,
  tool_id: 'fs.read',
  labels: READS_SECRETS_LABELS,
  description: 'Reads a text file, whole or a range of lines.',
  parameters: Type.Object(
    {
      path: Path,
      offset: Type.Optional(Type.Integer({ minimum: 0, description: 'lines to skip' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'lines to return' })),
    },
    closed,
  ),
  result: Type.Object(
    {
      path: Type.String(),
      content: Type.String(),
      encoding: Type.Union([Type.Literal('utf8'), Type.Literal('base64')]),
      size: Type.Integer({ description: 'bytes of the whole file' }),
      sha256: Type.String(),
      lines: Type.Integer({ description: 'lines of the whole file' }),
      truncated: Type.Boolean(),
    },
    closed,
  ),
  resources: touches('read'),
};

export const FS_WRITE: ToolDefinition = {
  ...writes,
  tool_id: 'fs.write',
  description: 'Writes a file, making its directories; replaces what was there.',
  parameters: Type.Object(
    {
      path: Path,
      content: Type.String({ description: 'the whole content' }),
      encoding: Type.Optional(
        Type.Union([Type.Literal('utf8'), Type.Literal('base64')], { description: 'of `content`; utf8 by default' }),
      ),
    },
    closed,
  ),
  result: Type.Object(
    { path: Type.String(), size: Type.Integer(), sha256: Type.String(), created: Type.Boolean() },
    closed,
  ),
  resources: touches('write'),
};

const Edits = Type.Array(
  Type.Object(
    {
      find: Type.String({ minLength: 1 }),
      replace: Type.String(),
      count: Type.Optional(
        Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('all')], {
          description: 'places to expect, which must not overlap; 1 by default. `all` takes them from the left',
        }),
      ),
    },
    closed,
  ),
  { minItems: 1, maxItems: 256 },
);
const Edited = {
  path: Type.String(),
  replacements: Type.Integer(),
  size: Type.Integer(),
  sha256: Type.String(),
} as const;
/** An edit reveals whether its text occurs, so it counts as reading the file. */
const edits = (args: Readonly<Record<string, unknown>>): readonly FsResource[] => [
  ...touches('write')(args),
  ...touches('read')(args),
];

export const FS_EDIT: ToolDefinition = {
  ...writes,
  version: 3,
  tool_id: 'fs.edit',
  description:
    'Replaces text in a file. Each `find` must match exactly once, or as often as `count` says; all edits apply or none. In a file whose lines all end in CRLF, line feeds in `find` and `replace` mean CRLF.',
  parameters: Type.Object({ path: Path, edits: Edits }, closed),
  result: Type.Object(Edited, closed),
  resources: edits,
};

/** Files of one edit: a person can still review them before approving. */
export const EDITED_FILES_MAX = 64;

export const FS_EDIT_FILES: ToolDefinition = {
  ...writes,
  version: 2,
  tool_id: 'fs.edit_files',
  description:
    'Replaces text in several files, which change together or not at all. Each `find` must match exactly once in its file, or as often as `count` says. In a file whose lines all end in CRLF, line feeds in `find` and `replace` mean CRLF.',
  parameters: Type.Object(
    {
      files: Type.Array(Type.Object({ path: Path, edits: Edits }, closed), {
        minItems: 1,
        maxItems: EDITED_FILES_MAX,
        description: 'a file that is named twice is edited in turn',
      }),
    },
    closed,
  ),
  result: Type.Object(
    { files: Type.Array(Type.Object(Edited, closed)), replacements: Type.Integer({ description: 'of all files' }) },
    closed,
  ),
  resources: ({ files }) =>
    Array.isArray(files) ? files.flatMap((file: Readonly<Record<string, unknown>>) => edits(file)) : [],
};

export const FS_LIST: ToolDefinition = {
  ...reads,
  tool_id: 'fs.list',
  description: 'Lists files and directories.',
  parameters: Type.Object(
    {
      path: Type.Optional(Type.String({ maxLength: 4096, description: 'a directory; the workspace by default' })),
      depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, description: 'levels; 1 by default' })),
    },
    closed,
  ),
  result: Type.Object(
    {
      path: Type.String(),
      entries: Type.Array(
        Type.Object(
          {
            path: Type.String(),
            kind: Type.Union([Type.Literal('file'), Type.Literal('dir'), Type.Literal('symlink')]),
            size: Type.Integer(),
          },
          closed,
        ),
      ),
      truncated: Type.Boolean(),
    },
    closed,
  ),
  resources: touches('read', ''),
};

export const FS_SEARCH: ToolDefinition = {
  ...reads,
  tool_id: 'fs.search',
  labels: READS_SECRETS_LABELS,
  description: 'Searches the text files for a string or a regular expression (RE2 syntax).',
  parameters: Type.Object(
    {
      pattern: Type.String({ minLength: 1, maxLength: 1024 }),
      path: Type.Optional(
        Type.String({ maxLength: 4096, description: 'a file or directory; the workspace by default' }),
      ),
      regex: Type.Optional(
        Type.Boolean({ description: 'whether `pattern` is a regular expression; false by default' }),
      ),
      max: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'matches to return; 100 by default' })),
    },
    closed,
  ),
  result: Type.Object(
    {
      matches: Type.Array(Type.Object({ path: Type.String(), line: Type.Integer(), text: Type.String() }, closed)),
      files_searched: Type.Integer(),
      truncated: Type.Boolean(),
    },
    closed,
  ),
  resources: touches('read', ''),
};
