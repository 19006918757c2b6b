// SPDX-License-Identifier: Apache-2.0
//
// Definitions of tools as an MCP server lists them. They are attacker-controlled: their texts reach models, and their
// schemas decide what arguments pass.
import {
  MCP_INPUT,
  MCP_LIMITS,
  problemAt,
  problemsWithin,
  type JsonSchemaText,
  type McpRemoteTool,
  type Problem,
  type ToolCategory,
} from '@writ/contract';
import { canonicalBytes, JsonError, sha256Hex } from '@writ/digest';
import { verifySchema } from '@writ/json-schema';
import { namesInput } from './names-input.ts';
import { hiddenCharacter, textsIn } from './shown-text.ts';

const MEMBERS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;
const PROBLEMS_MAX = 16;
/** The JSON of all problems of a definition: a view has them beside two definitions. */
const PROBLEMS_BYTES_MAX = 8 * 1024;
/** Of each text of a problem: pointers have names that the server chose. */
const PROBLEM_CHARS_MAX = 256;

/** The members of a listed tool that count, exactly as listed; absent ones stay absent. */
export const remoteToolOf = (listed: McpRemoteTool): McpRemoteTool =>
  Object.fromEntries(
    MEMBERS.filter((member) => listed[member] !== undefined).map((member) => [member, listed[member]]),
  ) as unknown as McpRemoteTool;

/** The bytes that stand for a definition: RFC 8785. @throws JsonError for what is no I-JSON */
export const remoteBytes = (listed: McpRemoteTool): Uint8Array => canonicalBytes(remoteToolOf(listed));

/** Hex SHA-256 of the bytes of a definition. @throws JsonError for what is no I-JSON */
export const remoteDigest = (listed: McpRemoteTool): string => sha256Hex(remoteBytes(listed));

/**
 * The problems that keep a definition from being accepted; empty if it can be. A text with characters that nobody sees
 * can't be judged by a person, and a schema that can't be interpreted can't be enforced. Total and pure.
 */
export function remoteProblems(listed: McpRemoteTool): readonly Problem[] {
  const problems: Problem[] = [];
  let bytes = 0;
  for (const { pointer, message, help } of everyProblem(remoteToolOf(listed)).slice(0, PROBLEMS_MAX)) {
    const problem = problemAt(cut(pointer), cut(message), cut(help));
    bytes += Buffer.byteLength(JSON.stringify(problem));
    // One problem always stays: without any, the definition could be accepted.
    if (problems.length > 0 && bytes > PROBLEMS_BYTES_MAX) break;
    problems.push(problem);
  }
  return problems;
}

/** A text of at most `PROBLEM_CHARS_MAX` characters: the beginning and the end of a longer one. */
function cut(text: string): string {
  const half = PROBLEM_CHARS_MAX / 2;
  const short = text.length <= PROBLEM_CHARS_MAX ? text : `${text.slice(0, half - 1)}…${text.slice(-half)}`;
  return short.toWellFormed();
}

function everyProblem(tool: McpRemoteTool): readonly Problem[] {
  try {
    if (canonicalBytes(tool).length > MCP_LIMITS.definitionBytes)
      return [problemAt('', `takes more than ${String(MCP_LIMITS.definitionBytes)} bytes`)];
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return [problemAt(error.pointer, 'is no value of I-JSON (RFC 7493), so it has no digest')];
  }
  const schemas = [
    ...problemsWithin('/inputSchema', verifySchema(parametersOf(tool.inputSchema), 'object')),
    ...(tool.outputSchema === undefined
      ? []
      : problemsWithin('/outputSchema', verifySchema(parametersOf(tool.outputSchema), 'object'))),
  ];
  return [...schemas, ...reservedNames(tool), ...hiddenTexts(tool)];
}

/** INVARIANT (one meaning): the argument for answers is Writ's own, so no server has one of that name. */
const reservedNames = ({ inputSchema }: McpRemoteTool): Problem[] =>
  namesInput(inputSchema)
    ? [problemAt('/inputSchema', `names the argument \`${MCP_INPUT}\`, which is Writ's own for answers to a server`)]
    : [];

/** Every text of a definition that has a character which a reader doesn't see, names of members included. */
function hiddenTexts(tool: McpRemoteTool): Problem[] {
  const problems: Problem[] = [];
  for (const { pointer, text } of textsIn(tool)) {
    const hidden = hiddenCharacter(text);
    if (hidden === null) continue;
    problems.push(problemAt(pointer, `has the character ${hidden}, which is not shown as it is stored`));
    if (problems.length >= PROBLEMS_MAX) break;
  }
  return problems;
}

const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

/**
 * The schema as it is interpreted here. Most servers name draft-07. Its keywords that draft 2020-12 reads otherwise are
 * problems there (`items` as a list, `additionalItems`, `dependencies`), so a schema without them means the same in
 * both, and only the name of the draft is left out.
 */
export function parametersOf(schema: JsonSchemaText): JsonSchemaText {
  const { $schema, ...rest } = schema;
  return typeof $schema === 'string' && DRAFT_07.test($schema) ? rest : schema;
}

/**
 * The category that the server's hints speak for. INVARIANT (hints are no decision): only an administrator makes a tool
 * one that reads.
 */
export function suggestedCategory({ annotations = {} }: Pick<McpRemoteTool, 'annotations'>): ToolCategory {
  if (annotations['destructiveHint'] === true) return 'admin';
  return annotations['readOnlyHint'] === true ? 'read' : 'write';
}

/** The category of a tool that is accepted without one. */
export function defaultCategory(tool: Pick<McpRemoteTool, 'annotations'>): ToolCategory {
  const suggested = suggestedCategory(tool);
  return suggested === 'read' ? 'write' : suggested;
}

const BY_STRICTNESS: readonly ToolCategory[] = ['read', 'write', 'admin'];

/** The stricter of two categories. */
export const stricterCategory = (a: ToolCategory, b: ToolCategory): ToolCategory =>
  BY_STRICTNESS.indexOf(a) < BY_STRICTNESS.indexOf(b) ? b : a;
