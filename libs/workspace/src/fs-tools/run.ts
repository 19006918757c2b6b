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
  [FS_READ.tool_id, (context, args) => readTool(context, parseArguments<ReadArgs>(FS_READ, args))],
  [FS_WRITE.tool_id, (context, args) => writeTool(context, parseArguments<WriteArgs>(FS_WRITE, args))],
  [FS_EDIT.tool_id, (context, args) => editTool(context, parseArguments<EditArgs>(FS_EDIT, args))],
  [
    FS_EDIT_FILES.tool_id,
    (context, args) => editFilesTool(context, parseArguments<EditFilesArgs>(FS_EDIT_FILES, args)),
  ],
  [FS_LIST.tool_id, (context, args) => listTool(context, parseArguments<ListArgs>(FS_LIST, args))],
  [FS_SEARCH.tool_id, (context, args) => searchTool(context, parseArguments<SearchArgs>(FS_SEARCH, args))],
]);

/** Answers whether `runFileTool` runs the tool. */
export function isFileTool(toolId: string): boolean {
  return TOOLS.has(toolId);
}

/**
 * Runs a file tool on a snapshot. Pure: it reads through the context and returns the contents to store and the changes.
 * A mistake of the caller is an outcome; a problem of our store (`blob.missing`, `blob.corrupt`,
 * `database.unavailable`) is thrown. Throws an Error for an unknown tool.
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

function parseArguments<A>(tool: ToolDefinition, args: unknown): A {
  try {
    return parseMessage(tool.parameters, args) as A;
  } catch (error) {
    throw new Fault('args.invalid', error instanceof Fault ? error.detail : undefined, { cause: error });
  }
}
