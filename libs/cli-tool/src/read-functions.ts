// SPDX-License-Identifier: Apache-2.0
import {
  DECLARED_TOOLS,
  FUNCTION_MS,
  FunctionToolSource,
  problemAt,
  problemsWithin,
  schemaProblems,
  type DeclaredTool,
  type FunctionTool,
  type Problem,
} from '@writ/contract';
import { verifySchema } from '@writ/json-schema';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { nameProblems } from './names.ts';

/** A declared tool that can be stored, once its version is known. */
export type DeclaredDraft<T extends DeclaredTool = DeclaredTool> = T extends DeclaredTool ? Omit<T, 'version'> : never;

/** Families of tools that other parts of Writ register: a function must not pass for one of them. */
const RESERVED = new Set(['api', 'mcp']);

const Functions = Type.Array(FunctionToolSource, { maxItems: DECLARED_TOOLS.inOneFile });
const PROBLEMS_MAX = 64;

/** Reads the functions of a file of any shape, under `functions`. It is untrusted, as the rest of the file. */
export function readFunctionFile(file: Readonly<Record<string, unknown>>): {
  readonly functions: readonly DeclaredDraft<FunctionTool>[];
  readonly problems: readonly Problem[];
} {
  const sources = file['functions'] ?? [];
  if (!Value.Check(Functions, sources)) {
    const wrong = schemaProblems(Functions, sources).map(({ pointer, message }) =>
      problemAt(`/functions${pointer}`, message),
    );
    return { functions: [], problems: wrong.slice(0, PROBLEMS_MAX) };
  }
  const programs = programNames(file['tools']);
  const problems = sources.flatMap((source, n) => {
    const at = `/functions/${n}`;
    const isTwice = programs.includes(source.name) || sources.findIndex(({ name }) => name === source.name) < n;
    return [
      ...(isTwice ? [problemAt(`${at}/name`, `the name \`${source.name}\` is given twice`)] : []),
      ...(RESERVED.has(source.name.split('.')[0] ?? '')
        ? [problemAt(`${at}/name`, `\`${source.name}\` begins as tools of APIs and MCP servers do`, 'take another')]
        : nameProblems(source.name, at)),
      ...problemsWithin(`${at}/parameters`, verifySchema(source.parameters, 'object')),
      ...(source.result === undefined ? [] : problemsWithin(`${at}/result`, verifySchema(source.result))),
    ];
  });
  if (problems.length > 0) return { functions: [], problems: problems.slice(0, PROBLEMS_MAX) };
  return { functions: sources.map(draftOf), problems: [] };
}

/** The names of programs that may be malformed otherwise. */
const programNames = (tools: unknown): unknown[] =>
  Array.isArray(tools) ? tools.map((tool: { name?: unknown } | null | undefined) => tool?.name) : [];

const draftOf = ({ name, title, result, idempotent, timeout_ms, ...source }: FunctionToolSource) => ({
  v: 1 as const,
  kind: 'function' as const,
  tool_id: name,
  ...(title === undefined ? {} : { title }),
  ...source,
  mode: source.mode === 'pull' ? ('pull' as const) : ('inline' as const),
  result: result ?? null,
  idempotent: idempotent ?? source.category === 'read',
  timeout_ms: timeout_ms ?? FUNCTION_MS.default,
});
