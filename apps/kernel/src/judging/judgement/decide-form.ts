// SPDX-License-Identifier: Apache-2.0
import {
  argumentFaults,
  Fault,
  LIMITS,
  nearestName,
  secretsNamed,
  TOOLS,
  type FsResource,
  type Reason,
  type ToolDefinition,
} from '@writ/contract';
import { parseTarget, TargetError, type EgressTarget } from '@writ/egress';
import { parsePath, type WorkspacePath } from '@writ/workspace';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';

/** A file that a call touches, by its parsed path. */
export type Resource = FsResource & { readonly path: WorkspacePath };

/** A request that a call names, by its target. */
export interface NamedRequest {
  readonly method: string;
  readonly target: EgressTarget;
  readonly purpose: string;
}

/** A call whose arguments fit its tool. Paths are relative to the workspace, as scopes compare them. */
export interface WellFormed {
  readonly effect: 'allow';
  readonly tool: ToolDefinition;
  readonly args: Arguments;
  readonly resources: readonly Resource[];
  /** the requests that it would send outside, as far as its arguments name them */
  readonly requests: readonly NamedRequest[];
  /** the secrets that it names */
  readonly secrets: readonly string[];
}

/** All problems are reported at once, up to this many: a caller that has more has another tool in mind. */
const REASONS_MAX = 32;

/** Decides on the call alone: tool, arguments, paths, idempotency key. */
export function decideForm(
  call: JudgedCall,
  tool: ToolDefinition | null,
  args: Arguments | Refusal,
  mcpTool: CallFacts['mcpTool'] = null,
): WellFormed | Refusal {
  if (tool === null) return refuseMcpTool(mcpTool) ?? refuseUnknownTool(call.tool_id);
  if ('effect' in args) return args;
  const wrong = argumentFaults(tool, args.value);
  const named = secretsNamed(tool, args.value);
  const faults = (wrong.length > 0 ? wrong : named.faults)
    .slice(0, REASONS_MAX)
    .map(({ pointer, message }): Reason => ({
      code: 'args.invalid',
      message: `\`${shortPointer(pointer)}\` ${message}`,
    }));
  if (faults[0] !== undefined) return { ...refusal('args.invalid', faults[0].message), reasons: faults };
  const command = args.value['command'];
  if (
    tool.class === 'sandboxed' &&
    tool.cli === undefined &&
    typeof command === 'string' &&
    Buffer.byteLength(command) > LIMITS.commandBytes.max
  ) {
    return refusal(
      'args.invalid',
      `\`/command\` takes at most ${LIMITS.commandBytes.max} bytes`,
      'write a script into the workspace and run that',
    );
  }
  const resources = parseResources(tool.resources(args.value));
  if ('effect' in resources) return resources;
  const requests = parseRequests(tool, args);
  if ('effect' in requests) return requests;
  if (tool.mutating && call.idempotency_key === null)
    return refusal('idempotency.missing', 'a mutating call needs an `idempotency_key`');
  return { effect: 'allow', tool, args, resources, requests, secrets: named.names };
}

/** Refuses a tool of an MCP server that was accepted, and whose server changed it since; null for any other. */
function refuseMcpTool(state: CallFacts['mcpTool']): Refusal | null {
  if (state === 'changed')
    return refusal(
      'mcp.definition_changed',
      'the server describes the tool otherwise than an administrator accepted it',
      'an administrator looks at the difference, and accepts or refuses it',
    );
  return state === 'gone'
    ? refusal('mcp.definition_gone', 'the server has the tool no more', 'take another tool')
    : null;
}

/** Refuses a tool that doesn't exist, and says which of Writ's own may be meant. */
function refuseUnknownTool(id: string): Refusal {
  const own = [...TOOLS.keys()];
  const near = nearestName(id, own);
  const hint = `Writ's own are ${own.map((each) => `\`${each}\``).join(', ')}`;
  return refusal('tool.unknown', 'there is no such tool', near === null ? hint : `did you mean \`${near}\`? ${hint}`);
}

/** Parses the paths of a call into paths of the workspace, or refuses. */
function parseResources(written: readonly FsResource[]): readonly Resource[] | Refusal {
  try {
    return written.map((resource) => ({ ...resource, path: parsePath(resource.path) }));
  } catch (error) {
    if (error instanceof Fault && (error.code === 'path.escape' || error.code === 'path.invalid'))
      return refusal(error.code, error.message);
    throw error;
  }
}

/** Parses the URLs of a call into targets, or refuses. */
function parseRequests({ requests }: ToolDefinition, { value }: Arguments): readonly NamedRequest[] | Refusal {
  try {
    return (
      requests?.(value).map(({ method, url, purpose }) => ({ method, purpose, target: parseTarget(method, url) })) ?? []
    );
  } catch (error) {
    if (error instanceof TargetError) return refusal('args.invalid', error.message);
    throw error;
  }
}

/** A pointer holds the caller's keys, which may be as long as the arguments. */
const shortPointer = (pointer: string): string => (pointer === '' ? '/' : pointer.slice(0, 256));
