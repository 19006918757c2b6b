// SPDX-License-Identifier: Apache-2.0
import {
  LIMITS,
  searchTool,
  SHELL_RUN,
  type CliCommand,
  type CliParameter,
  type CliTool,
  type TenantTool,
  type ToolDefinition,
  type ToolLimits,
} from '@writ/contract';
import { Type, type TSchema } from 'typebox';
import { commandLineOf } from './command.ts';
import { valueFaults, valueSteps, wholePattern } from './values.ts';

/** The definition of whatever a tenant has. */
export const tenantDefinition = (tool: TenantTool): ToolDefinition =>
  'provider' in tool ? searchTool(tool) : cliDefinition(tool);

/**
 * What a tenant's program answers. INVARIANT (what is stored keeps its meaning): these bytes are part of the digest of
 * every stored tool, and a stored tool that doesn't give its digest any more is as one that isn't there. So this is no
 * reference to `shell.run`, whose result may gain fields.
 */
const PROGRAM_RESULT = Type.Object(
  {
    exit_code: Type.Union([Type.Integer(), Type.Null()]),
    signal: Type.Union([Type.String(), Type.Null()]),
    output: Type.String({ description: 'stdout and stderr in the order in which they came' }),
    truncated_bytes: Type.Integer({ description: 'bytes of output that were cut off' }),
    wall_ms: Type.Integer(),
  },
  { additionalProperties: false },
);

/**
 * A tool's definition as all others are, made of nothing but what is stored of it: the same document gives the same
 * digest on every replica.
 */
export function cliDefinition(tool: CliTool): ToolDefinition {
  const { cmd, args, optional_args, env } = tool;
  const cli = { cmd, args, optional_args, env };
  return {
    tool_id: tool.tool_id,
    version: tool.version,
    description: tool.description,
    category: tool.category,
    class: 'sandboxed',
    mutating: tool.category !== 'read',
    accepts_secrets: [],
    labels: SHELL_RUN.labels,
    limits: tool.limits as unknown as ToolLimits,
    parameters: objectOf(tool.parameters, true),
    shape: objectOf(tool.parameters, false),
    result: PROGRAM_RESULT,
    cli,
    commandLine: (values) => commandLineOf(cli, values),
    faults: cliFaults(tool.parameters, cli),
    declared: { parameters: tool.parameters, steps: valueSteps(tool.parameters) },
    // A program's arguments don't say which files it touches: its effect is checked.
    resources: () => [],
  };
}

/** What is wrong with the values of a call of the tool, which fit their schemas. */
export function cliFaults(parameters: CliTool['parameters'], cli: CliCommand): NonNullable<ToolDefinition['faults']> {
  const checks = valueFaults(parameters);
  const isTooLong = (values: Readonly<Record<string, unknown>>): boolean =>
    Buffer.byteLength(commandLineOf(cli, values)) > LIMITS.commandBytes.max;
  return (values) => {
    const wrong = checks(values);
    return wrong.length === 0 && isTooLong(values)
      ? [{ pointer: '', message: `make a command of more than ${LIMITS.commandBytes.max} bytes` }]
      : wrong;
  };
}

function objectOf(parameters: CliTool['parameters'], withPatterns: boolean) {
  // A stored document comes back with its keys in another order, and a schema lists them.
  const fields = Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, parameter]): [string, TSchema] => {
      const schema = schemaOf(parameter, withPatterns);
      return [name, parameter.optional === true ? Type.Optional(schema) : schema];
    });
  return Type.Object(Object.fromEntries(fields), { additionalProperties: false });
}

/** Longest value of a string where its author doesn't say. */
const VALUE_CHARS_MAX = 4096;

function schemaOf(
  { type, enum: choices, description, pattern, minLength, maxLength, minimum, maximum, leading_dash }: CliParameter,
  withPatterns: boolean,
): TSchema {
  const said = {
    ...(description === undefined ? {} : { description }),
    ...(choices === undefined ? {} : { enum: choices }),
    // A caller is told; a checker of schemas isn't asked.
    ...(withPatterns && leading_dash === true ? { 'x-leading-dash': true } : {}),
  };
  const range = { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
  switch (type) {
    case 'string':
      return Type.String({
        ...said,
        ...(minLength === undefined ? {} : { minLength }),
        maxLength: maxLength ?? VALUE_CHARS_MAX,
        ...(withPatterns && pattern !== undefined ? { pattern: wholePattern(pattern) } : {}),
      });
    case 'integer':
      return Type.Integer({ ...said, ...range });
    case 'number':
      return Type.Number({ ...said, ...range });
    default:
      return Type.Boolean(said);
  }
}
