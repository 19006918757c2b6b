// SPDX-License-Identifier: Apache-2.0
import { ToolsApplied } from '@writ/contract';
import { Type, type Static, type TSchema } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

const NAMES_MAX = 256;
const Name = Type.String({ minLength: 1, maxLength: 128 });
const byName = <T extends TSchema>(schema: T) => Type.Record(Name, schema, { maxProperties: NAMES_MAX });

/** How an API is imported: see `ImportOptions` of libs/openapi. */
const ImportSettings = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,31}$',
      description: 'the part of the names of the tools after `api.`: lower case, digits and `_`',
    }),
    server: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'the address of the API over TLS; absent: that of the document',
      }),
    ),
    server_variables: Type.Optional(byName(Type.String({ maxLength: 256 }))),
    secrets: Type.Optional(byName(Type.String({ minLength: 1, maxLength: 64 }))),
    categories: Type.Optional(byName(Type.Enum(['read', 'write', 'admin']))),
    idempotency_headers: Type.Optional(byName(Type.String({ minLength: 1, maxLength: 64 }))),
    include: Type.Optional(
      Type.Array(Name, { maxItems: NAMES_MAX, description: 'operations, each may end in `*`; absent: all' }),
    ),
    exclude: Type.Optional(Type.Array(Name, { maxItems: NAMES_MAX })),
    deprecated: Type.Optional(Type.Boolean({ description: 'whether deprecated operations are imported, too' })),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 60_000, description: 'of each call; 30000 by default' }),
    ),
  },
  closed,
);

/** The settings that are not given. */
export const IMPORT_DEFAULTS = {
  server_variables: {},
  secrets: {},
  categories: {},
  idempotency_headers: {},
  include: [],
  exclude: [],
  deprecated: false,
  timeout_ms: 30_000,
} as const;

export const ApiImport = Type.Object(
  {
    document: Type.String({ minLength: 1, maxLength: 1_900_000, description: 'OpenAPI 3.0 or 3.1, JSON or YAML' }),
    options: ImportSettings,
    strict: Type.Optional(
      Type.Boolean({ description: 'an operation that has a problem keeps all from being registered' }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: 'only report what would change' })),
  },
  closed,
);

const ImportProblem = Type.Object(
  {
    pointer: Type.String({ description: 'JSON pointer of the place in the document' }),
    of: Type.Enum(['document', 'options']),
    message: Type.String(),
    help: Type.String({ description: 'what to do about it; empty where the message says it all' }),
  },
  closed,
);

export const ApiImported = Type.Object(
  {
    title: Type.String(),
    server: Type.Union([Type.String(), Type.Null()]),
    operations: Type.Array(
      Type.Object(
        {
          method: Type.String(),
          path: Type.String(),
          operation: Type.Union([Type.String(), Type.Null()]),
          pointer: Type.String(),
          tool_id: Type.Union([Type.String(), Type.Null()], { description: 'null: it was left out' }),
          outcome: Type.Enum(['tool', 'excluded', 'unusable']),
        },
        closed,
      ),
    ),
    problems: Type.Array(ImportProblem, { description: 'why operations were left out' }),
    notes: Type.Array(ImportProblem, { description: 'what of imported operations is not offered' }),
    applied: Type.Union([ToolsApplied, Type.Null()], {
      description: 'the result for each tool; null: nothing was registered',
    }),
  },
  closed,
);
export type ApiImported = Static<typeof ApiImported>;
