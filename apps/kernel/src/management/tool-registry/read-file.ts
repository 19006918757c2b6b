// SPDX-License-Identifier: Apache-2.0
import { readTenantTools, type CliToolDraft, type DeclaredDraft } from '@writ/cli-tool';
import { DECLARED_TOOLS, HttpTool, schemaProblems, TOOLS, type Problem } from '@writ/contract';
import { httpToolProblems } from '@writ/http-tool';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { secretProblems } from './secret-problems.ts';

/** An HTTP tool before it has a version. */
const HttpToolDraft = Type.Object(
  Object.fromEntries(Object.entries(HttpTool.properties).filter(([name]) => name !== 'version')) as Omit<
    typeof HttpTool.properties,
    'version'
  >,
  { additionalProperties: false },
);
export type HttpToolDraft = Static<typeof HttpToolDraft>;

/** A tool that can be stored, once its version is known. */
export type ToolDraft = CliToolDraft | DeclaredDraft;

export interface FileRead {
  /** in the file's order; empty if there is a problem */
  readonly tools: readonly ToolDraft[];
  readonly problems: readonly Problem[];
}

const NOTHING = { programs: [], functions: [], problems: [] } as const;

/** Problems that are reported; more are of no use. */
const PROBLEMS_MAX = 64;

/**
 * Reads what is to be applied: programs under `tools`, functions under `functions`, and HTTP tools under `http`. It
 * comes from a tenant's administrator and is untrusted, whichever program made it.
 */
export function readFile({ http, ...file }: Readonly<Record<string, unknown>>): FileRead {
  const isHttpAlone = http !== undefined && file['tools'] === undefined && file['functions'] === undefined;
  const read = isHttpAlone ? NOTHING : readTenantTools(file);
  const declared = http === undefined ? { tools: [], problems: [] } : readHttpTools(http);
  const problems = [...read.problems, ...secretProblems(read.programs), ...declared.problems];
  return problems.length > 0
    ? { tools: [], problems: problems.slice(0, PROBLEMS_MAX) }
    : { tools: [...read.programs, ...read.functions, ...declared.tools], problems: [] };
}

function readHttpTools(http: unknown): { tools: readonly HttpToolDraft[]; problems: readonly Problem[] } {
  const List = Type.Array(HttpToolDraft, { minItems: 1, maxItems: DECLARED_TOOLS.inOneFile });
  if (!Value.Check(List, http)) {
    const wrong = schemaProblems(List, http);
    return {
      tools: [],
      problems: wrong.map(({ pointer, message }) => ({ pointer: `/http${pointer}`, message, help: '' })),
    };
  }
  const problems = http.flatMap((tool, n) =>
    [...nameProblems(tool, http, n), ...sizeProblems(tool), ...httpToolProblems(tool)].map((problem) => ({
      ...problem,
      pointer: `/http/${n}${problem.pointer}`,
    })),
  );
  return { tools: http, problems };
}

function nameProblems({ tool_id }: HttpToolDraft, all: readonly HttpToolDraft[], n: number): Problem[] {
  const pointer = '/tool_id';
  // INVARIANT (one family): an HTTP tool never takes the name of a tool of Writ.
  if (!/^api\.[a-z][a-z0-9_]*\../.test(tool_id) || TOOLS.has(tool_id))
    return [{ pointer, message: `\`${tool_id}\` is not of the form \`api.NAME.OPERATION\``, help: '' }];
  return all.findIndex((other) => other.tool_id === tool_id) < n
    ? [{ pointer, message: `the name \`${tool_id}\` is given twice`, help: '' }]
    : [];
}

function sizeProblems({ parameters, result }: HttpToolDraft): Problem[] {
  return Object.entries({ parameters, result }).flatMap(([name, schema]) =>
    Buffer.byteLength(JSON.stringify(schema)) > DECLARED_TOOLS.schemaBytes
      ? [{ pointer: `/${name}`, message: `is longer than ${DECLARED_TOOLS.schemaBytes} bytes`, help: '' }]
      : [],
  );
}
