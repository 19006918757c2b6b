// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  FS_EDIT,
  FS_EDIT_FILES,
  FS_LIST,
  FS_READ,
  FS_SEARCH,
  FS_WRITE,
  parseMessage,
  type ToolDefinition,
} from '@writ/contract';
import type { EditArgs } from './edit-text.ts';
import { editTool } from './edit.ts';
import { editFilesTool, type EditFilesArgs } from './edit-files.ts';
import { listTool, type ListArgs } from './list.ts';
import { failureOf, type FileToolContext, type FileToolOutcome } from './outcome.ts';
import { readTool, type ReadArgs } from './read.ts';
import { searchTool, type SearchArgs } from './search.ts';
import { writeTool, type WriteArgs } from './write.ts';

type Run = (context: FileToolContext, args: unknown) => Promise<FileToolOutcome<unknown>>;

const TOOLS = new Map<string, Run>([
  [FS_READ.tool_id, (context, args) => readTool(context, parsed<ReadArgs>(FS_READ, args))],
  [FS_WRITE.tool_id, (context, args) => writeTool(context, parsed<WriteArgs>(FS_WRITE, args))],
  [FS_EDIT.tool_id, (context, args) => editTool(context, parsed<EditArgs>(FS_EDIT, args))],
  [FS_EDIT_FILES.tool_id, (context, args) => editFilesTool(context, parsed<EditFilesArgs>(FS_EDIT_FILES, args))],
  [FS_LIST.tool_id, (context, args) => listTool(context, parsed<ListArgs>(FS_LIST, args))],
  [FS_SEARCH.tool_id, (context, args) => searchTool(context, parsed<SearchArgs>(FS_SEARCH, args))],
]);

/** Answers whether the tool is one that `runFileTool` runs. */
export function isFileTool(toolId: string): boolean {
  return TOOLS.has(toolId);
}

/**
 * Runs a file tool on a snapshot. Pure: it reads through the context and gives back what is to be stored and changed.
 * What the caller did wrong is an outcome; what is wrong with our store (`blob.missing`, `blob.corrupt`,
 * `database.unavailable`) is thrown. Throws an Error on an unknown tool.
 */
export async function runFileTool(
  toolId: string,
  context: FileToolContext,
  args: unknown,
): Promise<FileToolOutcome<unknown>> {
  const run = TOOLS.get(toolId);
  if (!run) throw new Error(`\`${toolId}\` is no file tool`);
  try {
    return await run(context, args);
  } catch (error) {
    return failureOf(error);
  }
}

function parsed<A>(tool: ToolDefinition, args: unknown): A {
  try {
    return parseMessage(tool.parameters, args) as A;
  } catch (error) {
    throw new Fault('args.invalid', error instanceof Fault ? error.detail : undefined, { cause: error });
  }
}
