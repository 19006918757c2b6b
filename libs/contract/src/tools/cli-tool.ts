// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { ImageName } from '../images/image-source.ts';
import { LIMITS } from '../limits.ts';

const closed = { additionalProperties: false } as const;

/** Limits on the tools in one file and of one tenant: both fit into single messages. */
export const CLI_TOOLS = { inOneFile: 64, ofOneTenant: 256, sourceBytes: 8 * 1024 } as const;

/** Lower case, digits and `_`; dots form families, which tokens and policies can name by `family.*`. */
export const CliToolName = Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$', maxLength: 64 });
const ParameterName = '^[a-z][a-z0-9_]{0,63}$';
/** Limit on environment variables, declared variables and secrets alike. */
const VariableName = '^[A-Z_][A-Z0-9_]{0,63}$';
/** Longest value of a string parameter, in characters: contents belong into files. */
const VALUE_CHARS_MAX = 4096;
/** Longer expressions are programs. */
const PATTERN_CHARS_MAX = 256;

/** One parameter, in terms of JSON Schema. */
export const CliParameter = Type.Object(
  {
    type: Type.Enum(['string', 'integer', 'number', 'boolean']),
    description: Type.Optional(Type.String({ maxLength: 1024 })),
    optional: Type.Optional(Type.Boolean({ description: 'false by default' })),
    enum: Type.Optional(
      Type.Array(Type.Union([Type.String({ maxLength: VALUE_CHARS_MAX }), Type.Number()]), {
        minItems: 1,
        maxItems: 256,
      }),
    ),
    pattern: Type.Optional(
      Type.String({ minLength: 1, maxLength: PATTERN_CHARS_MAX, description: 'RE2; the whole value must match' }),
    ),
    minLength: Type.Optional(Type.Integer({ minimum: 0, maximum: VALUE_CHARS_MAX })),
    maxLength: Type.Optional(
      Type.Integer({ minimum: 0, maximum: VALUE_CHARS_MAX, description: `${VALUE_CHARS_MAX} by default` }),
    ),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    leading_dash: Type.Optional(
      Type.Boolean({
        description:
          'whether a value may begin with `-`: false by default, since a program could take it for an option',
      }),
    ),
  },
  closed,
);
export type CliParameter = Static<typeof CliParameter>;

const Argument = Type.String({ maxLength: VALUE_CHARS_MAX });
const shared = {
  description: Type.String({ minLength: 1, maxLength: 1024 }),
  category: Type.Enum(['read', 'write', 'admin']),
  cmd: Type.String({
    pattern: '^(/[A-Za-z0-9._+-]+)*/?[A-Za-z0-9._+-]+$',
    maxLength: 256,
    description: 'a program on the path of the image, or its absolute path',
  }),
  args: Type.Array(Argument, { maxItems: 128 }),
  parameters: Type.Record(Type.String({ pattern: ParameterName }), CliParameter, { ...closed, maxProperties: 32 }),
};

/** A tool as its author writes it. */
export const CliToolSource = Type.Object(
  {
    name: CliToolName,
    ...shared,
    args: Type.Optional(shared.args),
    parameters: Type.Optional(shared.parameters),
    optional_args: Type.Optional(
      Type.Record(Type.String({ pattern: ParameterName }), Type.Array(Argument, { minItems: 1, maxItems: 16 }), {
        ...closed,
        maxProperties: 32,
      }),
    ),
    env: Type.Optional(
      Type.Record(Type.String({ pattern: VariableName }), Type.String({ maxLength: VALUE_CHARS_MAX }), {
        ...closed,
        maxProperties: 64,
      }),
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 100, maximum: LIMITS.commandMs.max, description: '120000 by default' }),
    ),
    image: Type.Optional(ImageName),
    output_bytes: Type.Optional(Type.Integer({ minimum: 1024, maximum: 200_000, description: '200000 by default' })),
  },
  closed,
);
export type CliToolSource = Static<typeof CliToolSource>;

/** A file of tools, which `writ tools apply` sends. */
export const CliToolFile = Type.Object(
  {
    tools: Type.Array(CliToolSource, { minItems: 1, maxItems: CLI_TOOLS.inOneFile }),
    variables: Type.Optional(
      Type.Record(Type.String({ pattern: VariableName }), Type.String({ maxLength: VALUE_CHARS_MAX }), {
        ...closed,
        maxProperties: 64,
        description: 'what `${NAME}` stands for in the environments of these tools',
      }),
    ),
  },
  closed,
);
export type CliToolFile = Static<typeof CliToolFile>;

/** A part of a value in a tool's environment: text, or a secret of the tenant by its name. */
export const EnvPart = Type.Union([
  Type.Object({ text: Type.String() }, closed),
  Type.Object({ secret: Type.String({ pattern: VariableName }) }, closed),
]);
export type EnvPart = Static<typeof EnvPart>;

/**
 * A tool as it is stored, hashed and sent to executors. It depends on nothing else, and everything with an order is a
 * list.
 */
export const CliTool = Type.Object(
  {
    v: Type.Literal(1),
    tool_id: CliToolName,
    version: Type.Integer({ minimum: 1 }),
    ...shared,
    optional_args: Type.Array(
      Type.Object({ parameter: Type.String({ pattern: ParameterName }), args: Type.Array(Argument) }, closed),
    ),
    image: Type.Optional(ImageName),
    env: Type.Array(Type.Object({ name: Type.String({ pattern: VariableName }), parts: Type.Array(EnvPart) }, closed)),
    limits: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  },
  closed,
);
export type CliTool = Static<typeof CliTool>;

/** The part of a tool that determines its program, arguments and variables. */
export type CliCommand = Pick<CliTool, 'cmd' | 'args' | 'optional_args' | 'env' | 'image'>;
