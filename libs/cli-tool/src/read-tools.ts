// SPDX-License-Identifier: Apache-2.0
import {
  CLI_TOOLS,
  CliToolFile,
  problemAt,
  SANDBOX_LIMITS,
  schemaProblems,
  type CliTool,
  type CliToolSource,
  type Problem,
} from '@writ/contract';
import { Value } from 'typebox/value';
import { nameProblems } from './names.ts';
import { parameterProblems } from './parameters.ts';
import { shellProblems } from './shells.ts';
import { envPartsOf, placeholdersOf } from './template.ts';

/** A tool that can be stored, once its version is known. */
export type CliToolDraft = Omit<CliTool, 'version'>;

export interface ToolsRead {
  /** in the file's order; empty if there is a problem */
  readonly tools: readonly CliToolDraft[];
  /** all problems */
  readonly problems: readonly Problem[];
}

/** Limit on the reported problems; more are of no use. */
const PROBLEMS_MAX = 64;
/**
 * Limits on a variable with its references resolved. Even with the longest secrets in every part, a program can be
 * started with it.
 */
const ENV_CHARS_MAX = 4096;
const ENV_PARTS_MAX = 8;

/**
 * Reads a file of tools of any shape: parsed YAML, or a request's body. It comes from a tenant's administrator and is
 * untrusted.
 */
export function readToolFile(file: unknown): ToolsRead {
  if (!Value.Check(CliToolFile, file)) {
    const wrong = schemaProblems(CliToolFile, file).map(({ pointer, message }) => problemAt(pointer, message));
    return { tools: [], problems: wrong.slice(0, PROBLEMS_MAX) };
  }
  const variables = new Map(Object.entries(file.variables ?? {}));
  const problems = [
    ...[...variables].flatMap(([name, text]) =>
      text.includes('\0') ? [problemAt(`/variables/${name}`, 'it holds NUL')] : [],
    ),
    ...file.tools.flatMap((tool, n) => [
      ...(file.tools.findIndex(({ name }) => name === tool.name) < n
        ? [problemAt(`/tools/${n}/name`, `the name \`${tool.name}\` is given twice`)]
        : []),
      ...toolProblems(tool, `/tools/${n}`, variables),
    ]),
  ];
  if (problems.length > 0) return { tools: [], problems: problems.slice(0, PROBLEMS_MAX) };
  return { tools: file.tools.map((tool) => draftOf(tool, variables)), problems: [] };
}

function toolProblems(tool: CliToolSource, at: string, variables: ReadonlyMap<string, string>): Problem[] {
  const sizeProblems =
    JSON.stringify(tool).length > CLI_TOOLS.sourceBytes
      ? [problemAt(at, `it takes more than ${CLI_TOOLS.sourceBytes} bytes`)]
      : [];
  return [
    ...sizeProblems,
    ...nameProblems(tool.name, at),
    ...parameterProblems(tool.parameters ?? {}, at),
    ...argumentProblems(tool, at),
    ...shellProblems(tool, at),
    ...envProblems(tool, at, variables),
  ];
}

function argumentProblems({ args = [], optional_args = {}, parameters = {} }: CliToolSource, at: string): Problem[] {
  const isOptional = (name: string): boolean => parameters[name]?.optional === true;
  const isDeclared = (name: string): boolean => Object.hasOwn(parameters, name);
  const used = new Set(Object.keys(optional_args));
  const check = (template: string, pointer: string, beside: string | null): Problem[] => {
    const names = placeholdersOf(template);
    if (names === null)
      return [problemAt(pointer, 'its braces make no placeholder', 'write `{{name}}`, with the name of a parameter')];
    if (template.includes('\0')) return [problemAt(pointer, 'it holds NUL')];
    for (const name of names) used.add(name);
    return names.flatMap((name) => {
      if (!isDeclared(name))
        return [problemAt(pointer, `\`{{${name}}}\` names no parameter`, 'declare it under `parameters`')];
      return isOptional(name) && name !== beside
        ? [
            problemAt(
              pointer,
              `\`${name}\` is optional, so it may be missing here`,
              'move what needs it to `optional_args`, under its name',
            ),
          ]
        : [];
    });
  };
  return [
    ...args.flatMap((template, n) => check(template, `${at}/args/${n}`, null)),
    ...Object.entries(optional_args).flatMap(([name, own]) => [
      ...(isDeclared(name) && isOptional(name)
        ? []
        : [
            problemAt(
              `${at}/optional_args/${name}`,
              `\`${name}\` is no optional parameter`,
              'declare it with `optional: true`',
            ),
          ]),
      ...own.flatMap((template, n) => check(template, `${at}/optional_args/${name}/${n}`, name)),
    ]),
    ...unusedProblems(parameters, used, at),
  ];
}

const unusedProblems = (
  parameters: NonNullable<CliToolSource['parameters']>,
  used: ReadonlySet<string>,
  at: string,
): Problem[] =>
  Object.keys(parameters)
    .filter((name) => !used.has(name))
    .map((name) =>
      problemAt(
        `${at}/parameters/${name}`,
        `no argument uses \`${name}\``,
        'a value that goes nowhere misleads whoever gives it',
      ),
    );

function envProblems({ env = {} }: CliToolSource, at: string, variables: ReadonlyMap<string, string>): Problem[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value.includes('\0')) return [problemAt(`${at}/env/${name}`, 'it holds NUL')];
    const parts = envPartsOf(value, variables);
    if (parts === null)
      return [
        problemAt(
          `${at}/env/${name}`,
          'a `${` in it is no reference',
          'write `${NAME}`, or `$${` for the characters themselves',
        ),
      ];
    const isLong =
      parts.length > ENV_PARTS_MAX ||
      parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0) > ENV_CHARS_MAX;
    return isLong
      ? [
          problemAt(
            `${at}/env/${name}`,
            `with what it refers to it is longer than ${ENV_CHARS_MAX} characters or ${ENV_PARTS_MAX} parts`,
          ),
        ]
      : [];
  });
}

function draftOf(
  {
    name,
    description,
    category,
    cmd,
    args = [],
    parameters = {},
    optional_args = {},
    env = {},
    image,
    timeout_ms,
    output_bytes,
  }: CliToolSource,
  variables: ReadonlyMap<string, string>,
): CliToolDraft {
  return {
    v: 1,
    tool_id: name,
    description,
    category,
    cmd,
    args,
    parameters,
    optional_args: Object.entries(optional_args).map(([parameter, own]) => ({ parameter, args: own })),
    env: Object.entries(env).map(([variable, value]) => ({
      name: variable,
      parts: envPartsOf(value, variables) ?? [],
    })),
    ...(image === undefined ? {} : { image }),
    limits: {
      ...SANDBOX_LIMITS,
      wall_ms: timeout_ms ?? SANDBOX_LIMITS.wall_ms,
      output_bytes: output_bytes ?? SANDBOX_LIMITS.output_bytes,
    },
  };
}
