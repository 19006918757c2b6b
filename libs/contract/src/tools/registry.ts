// SPDX-License-Identifier: Apache-2.0
import { Compile, type Validator } from 'typebox/compile';
import { Value } from 'typebox/value';
import { CALL_RESOURCES_MAX, type BoundResource, type ResourceReference } from '../resources/resource-kinds.ts';
import { schemaProblems } from '../schema-problems.ts';
import { AGENT_SPAWN } from './agents.ts';
import { AUDIO_TRANSCRIBE } from './audio.ts';
import { CALENDAR_FIND } from './calendar.ts';
import { CONTAINER_ACCESS, CONTAINER_CREATE } from './containers.ts';
import type { ToolDefinition } from './definition.ts';
import { NET_EGRESS, WEB_FETCH } from './egress.ts';
import { EMAIL_DRAFT, EMAIL_FIND } from './email.ts';
import { FS_EDIT, FS_EDIT_FILES, FS_LIST, FS_READ, FS_SEARCH, FS_WRITE } from './files.ts';
import { AGENT_DESCRIBE, AGENT_MANAGE } from './manage-agents.ts';
import { MK8_RUN } from './mk8.ts';
import { WEB_SEARCH } from './search.ts';
import { SHELL_DANGEROUS } from './shell-dangerous.ts';
import { SHELL_SESSION } from './shell-session.ts';
import { SHELL_RUN } from './shell.ts';
import { SKILL_READ } from './skills.ts';
import { STORE_REGISTER, VECDB_DELETE, VECDB_QUERY, VECDB_UPSERT } from './stores.ts';
import { TASK_CREATE, TASK_EDIT, TASK_LIST } from './tasks.ts';
import { VALUE_GET } from './values.ts';

/** Every existing tool, by id. */
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
    WEB_SEARCH,
    CONTAINER_CREATE,
    CONTAINER_ACCESS,
    CALENDAR_FIND,
    EMAIL_FIND,
    EMAIL_DRAFT,
    AGENT_DESCRIBE,
    AGENT_MANAGE,
    STORE_REGISTER,
    VECDB_QUERY,
    VECDB_UPSERT,
    VECDB_DELETE,
    AUDIO_TRANSCRIBE,
  ].map((tool) => [tool.tool_id, tool]),
);

/**
 * The tools whose calls all have one definition: nothing that a tenant registered is a part of it. Versions of Writ can
 * differ in it.
 */
export const FIXED_TOOLS: readonly ToolDefinition[] = [...TOOLS.values()].filter(
  (tool) => tool.targets === undefined && tool !== SHELL_DANGEROUS && tool !== MK8_RUN,
);

/** Compiled schemas become program code, so only schemas of this library are compiled. */
const validators = new Map<string, Validator>();

/** The problems of a call's arguments, each with its JSON pointer; empty if they are valid. */
export function argumentFaults(tool: ToolDefinition, args: unknown): { pointer: string; message: string }[] {
  const matches = tool.shape === undefined ? matchesCompiled(tool, args) : Value.Check(tool.shape, args);
  if (matches) return [...(tool.faults?.(args as Record<string, unknown>) ?? [])];
  return schemaProblems(tool.shape ?? tool.parameters, args).map(({ pointer, message }) => ({ pointer, message }));
}

function matchesCompiled(tool: ToolDefinition, args: unknown): boolean {
  let validator = validators.get(tool.tool_id);
  if (!validator) validators.set(tool.tool_id, (validator = Compile(tool.parameters)));
  return validator.Check(args);
}

/** The length of an id or a name, and more. */
const REF_CHARS_MAX = 128;

/**
 * The registered resources that the arguments name, whatever the arguments are. A reference that no resource can have
 * becomes the empty one, which names none.
 */
export function targetsOf(tool: ToolDefinition, args: Readonly<Record<string, unknown>>): readonly ResourceReference[] {
  return (tool.targets?.(args) ?? []).slice(0, CALL_RESOURCES_MAX).map((reference) => {
    const { ref } = reference;
    const isPlain = typeof ref === 'string' && ref.length <= REF_CHARS_MAX && !ref.includes('\0');
    return isPlain ? reference : { ...reference, ref: '' };
  });
}

/** The definition for a call on these resources. @param resources in the order of `targets` */
export function bindTool(tool: ToolDefinition, resources: readonly BoundResource[]): ToolDefinition {
  return resources.length === 0 ? tool : { ...(tool.bind?.(resources) ?? tool), bound: resources };
}

/** The part of a definition that its digest covers: everything that decides the meaning of a call. JSON only. */
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
    profile,
    supervised,
    bound,
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
    // The name that it has had in digests from the first: permits under way and stored tools have them.
    ...(tool.function === undefined ? {} : { external: tool.function }),
    ...(tool.http === undefined ? {} : { http: tool.http }),
    ...(tool.mcp === undefined ? {} : { mcp: tool.mcp }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(profile === undefined ? {} : { profile }),
    ...(supervised === undefined ? {} : { supervised }),
    // A tool of an MCP server has the digest of its server in `mcp`, so that a version of it names its settings.
    ...(bound === undefined || tool.mcp !== undefined
      ? {}
      : { bound: bound.map(({ resource_id, kind, digest }) => ({ resource_id, kind, digest })) }),
    mutating,
    accepts_secrets,
    labels,
    limits,
  };
}

const plain = (schema: unknown): unknown => JSON.parse(JSON.stringify(schema));
