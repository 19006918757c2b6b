// SPDX-License-Identifier: Apache-2.0
import type { FunctionTool, Problem } from '@writ/contract';
import { readFunctionFile, type DeclaredDraft } from './read-functions.ts';
import { readToolFile, type CliToolDraft } from './read-tools.ts';

/** The tools of a file, and all of its problems; no tools if there is a problem. */
export interface TenantToolsRead {
  readonly programs: readonly CliToolDraft[];
  readonly functions: readonly DeclaredDraft<FunctionTool>[];
  readonly problems: readonly Problem[];
}

/**
 * Reads a file of tools of any shape: programs under `tools`, functions under `functions`, either of which may be
 * absent. It comes from a tenant's administrator and is untrusted.
 */
export function readTenantTools({ functions, ...file }: Readonly<Record<string, unknown>>): TenantToolsRead {
  const declared = functions === undefined ? { functions: [], problems: [] } : readFunctionFile({ ...file, functions });
  const { tools } = file;
  const hasNoPrograms =
    functions !== undefined && (tools === undefined || (Array.isArray(tools) && tools.length === 0));
  const programs = hasNoPrograms ? { tools: [], problems: [] } : readToolFile(file);
  const problems = [...programs.problems, ...declared.problems];
  return problems.length > 0
    ? { programs: [], functions: [], problems }
    : { programs: programs.tools, functions: declared.functions, problems: [] };
}
