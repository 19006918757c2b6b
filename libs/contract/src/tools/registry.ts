// SPDX-License-Identifier: Apache-2.0
import { Compile, type Validator } from 'typebox/compile';
import { Value } from 'typebox/value';
import { AGENT_SPAWN } from './agents.ts';
import type { ToolDefinition } from './definition.ts';
import { NET_EGRESS, WEB_FETCH } from './egress.ts';
import { FS_EDIT, FS_EDIT_FILES, FS_LIST, FS_READ, FS_SEARCH, FS_WRITE } from './files.ts';
import { MK8_RUN } from './mk8.ts';
import { SHELL_DANGEROUS } from './shell-dangerous.ts';
import { SHELL_SESSION } from './shell-session.ts';
import { SHELL_RUN } from './shell.ts';
import { SKILL_READ } from './skills.ts';
import { TASK_CREATE, TASK_EDIT, TASK_LIST } from './tasks.ts';
import { VALUE_GET } from './values.ts';

/** Every tool that exists, by id. */
export const TOOLS: ReadonlyMap<string, ToolDefinition> = new Map(
  [
    FS_READ,
    FS_WRITE,
    FS_EDIT,
    FS_EDIT_FILES,
    FS_LIST,
    FS_SEARCH,
    SHELL_RUN,
    SHELL_SESSION,
    SHELL_DANGEROUS,
    MK8_RUN,
    NET_EGRESS,
    WEB_FETCH,
    VALUE_GET,
    TASK_CREATE,
    TASK_EDIT,
    TASK_LIST,
    SKILL_READ,
    AGENT_SPAWN,
  ].map((tool) => [tool.tool_id, tool]),
);

/** Compiled ones become program text, so only schemas that stand in this library are. */
const validators = new Map<string, Validator>();

/** What is wrong with the arguments of a call, each with the JSON pointer of the place; empty when they fit. */
export function argumentFaults(tool: ToolDefinition, args: unknown): { pointer: string; message: string }[] {
  const wrong = tool.shape === undefined ? compiledErrors(tool, args) : Value.Errors(tool.shape, args);
  if (wrong.length === 0) return [...(tool.faults?.(args as Record<string, unknown>) ?? [])];
  return wrong.map((error) => ({ pointer: error.instancePath, message: error.message }));
}

function compiledErrors(tool: ToolDefinition, args: unknown): { instancePath: string; message: string }[] {
  let validator = validators.get(tool.tool_id);
  if (!validator) validators.set(tool.tool_id, (validator = Compile(tool.parameters)));
  return validator.Check(args) ? [] : validator.Errors(args);
}

/** The part of a definition that its digest covers: all that decides what a call means. JSON only. */
export function definitionForDigest(tool: ToolDefinition): Record<string, unknown> {
  const {
    tool_id,
    version,
    description,
    parameters,
    result,
    category,
    mutating,
    accepts_secrets,
    labels,
    limits,
    sandbox,
    provider,
    profile,
    supervised,
  } = tool;
  return {
    tool_id,
    version,
    description,
    parameters: plain(parameters),
    result: plain(result),
    category,
    class: tool.class,
    ...(tool.session === undefined ? {} : { session: tool.session }),
    ...(tool.cli === undefined ? {} : { cli: tool.cli }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(provider === undefined ? {} : { provider }),
    ...(profile === undefined ? {} : { profile }),
    ...(supervised === undefined ? {} : { supervised }),
    mutating,
    accepts_secrets,
    labels,
    limits,
  };
}

const plain = (schema: unknown): unknown => JSON.parse(JSON.stringify(schema));
