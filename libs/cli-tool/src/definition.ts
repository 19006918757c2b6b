// SPDX-License-Identifier: Apache-2.0
import {
  isDeclaredTool,
  LIMITS,
  SHELL_RUN,
  type CliCommand,
  type CliParameter,
  type CliTool,
  type DeclaredTool,
  type TenantTool,
  type ToolDefinition,
  type ToolLimits,
} from '@writ/contract';
import { httpDefinition } from '@writ/http-tool';
import { mcpDefinition } from '@writ/mcp-tool';
import { Type, type TSchema } from 'typebox';
import { commandLineOf } from './command.ts';
import { functionDefinition } from './function-definition.ts';
import { valueFaults, valueSteps, wholePattern } from './values.ts';

/** The definition of any tool of a tenant. */
export const tenantDefinition = (tool: TenantTool): ToolDefinition =>
  isDeclaredTool(tool) ? definitionOfDeclared(tool) : cliDefinition(tool);

function definitionOfDeclared(tool: DeclaredTool): ToolDefinition {
  if (tool.kind === 'http') return httpDefinition(tool);
  return tool.kind === 'mcp' ? mcpDefinition(tool) : functionDefinition(tool);
}

/**
 * The result of a tenant's program. INVARIANT (what is stored keeps its meaning): these bytes are part of the digest of
 * every stored tool, and a stored tool with another digest counts as missing. So this does not refer to `shell.run`,
 * whose result may gain fields.
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
 * A tool's definition, derived from the stored document alone: the same document has the same digest on every replica.
 */
export function cliDefinition(tool: CliTool): ToolDefinition {
  const { cmd, args, optional_args, env, image } = tool;
  const cli = { cmd, args, optional_args, env, ...(image === undefined ? {} : { image }) };
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
    program: { parameters: tool.parameters, steps: valueSteps(tool.parameters) },
    // A program's arguments don't name the files that it touches, so its effect is checked.
    resources: () => [],
  };
}

/** The problems in the values of a call, which match their schemas. */
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
  // A stored document returns its keys in another order, and a schema lists them.
  const fields = Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, parameter]): [string, TSchema] => {
      const schema = schemaOf(parameter, withPatterns);
      return [name, parameter.optional === true ? Type.Optional(schema) : schema];
    });
  return Type.Object(Object.fromEntries(fields), { additionalProperties: false });
}

/** Default limit on the length of a string value. */
const VALUE_CHARS_MAX = 4096;

function schemaOf(
  { type, enum: choices, description, pattern, minLength, maxLength, minimum, maximum, leading_dash }: CliParameter,
  withPatterns: boolean,
): TSchema {
  const annotations = {
    ...(description === undefined ? {} : { description }),
    ...(choices === undefined ? {} : { enum: choices }),
    // For callers only: it is not part of validation.
    ...(withPatterns && leading_dash === true ? { 'x-leading-dash': true } : {}),
  };
  const range = { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
  switch (type) {
    case 'string':
      return Type.String({
        ...annotations,
        ...(minLength === undefined ? {} : { minLength }),
        maxLength: maxLength ?? VALUE_CHARS_MAX,
        ...(withPatterns && pattern !== undefined ? { pattern: wholePattern(pattern) } : {}),
      });
    case 'integer':
      return Type.Integer({ ...annotations, ...range });
    case 'number':
      return Type.Number({ ...annotations, ...range });
    default:
      return Type.Boolean(annotations);
  }
}
