// SPDX-License-Identifier: Apache-2.0
import { tenantDefinition } from '@writ/cli-tool';
import {
  argumentFaults,
  bindTool,
  Fault,
  LIMITS,
  MK8_RUN,
  redactableResult,
  RESOURCE_SECRET_PREFIX,
  SHELL_DANGEROUS,
  targetsOf,
  TOOLS,
  type ExecutionProfile,
  type Permit,
  type Redemption,
  type TenantId,
  type ToolDefinition,
} from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { actionDigest, argsHash, parseIJson, resourceDigest, sha256Hex } from '@writ/digest';
import { dataOf, readSignedSandbox, SignedSandboxError, type SignedSandbox } from '@writ/mk8-shell';
import { dangerousTool, profileFrom } from '@writ/mk8-shell/dangerous';
import { sourceFrom } from '@writ/sandbox/images';
import { sandboxNameOf, toolWithin } from '@writ/mk8-shell/tool';
import { ARGUMENTS_ATTEMPT, openContent, type ContentSeal } from '@writ/sealing';
import { decodeBase64 } from '@writ/signing';
import { parseSnapshotId } from '@writ/workspace';
import type { Call } from '../calls/runner.ts';
import { digestOf } from './other-version.ts';
import type { CallWork } from '../foundation/call-work.ts';
import type { ExecutorTasks } from '../calls/worker-tasks.ts';

/**
 * The seal of the attempt's long contents. Null where the kernel is of a version without seals: then contents are
 * stored unsealed.
 */
export function sealOf(
  { attempt }: Pick<Permit, 'attempt'>,
  {
    tenant_id: tenantId,
    operation_id: operationId,
    content_key,
  }: Pick<Redemption, 'tenant_id' | 'operation_id' | 'content_key'>,
): ContentSeal | null {
  return content_key === undefined ? null : { key: Buffer.from(content_key, 'base64'), tenantId, operationId, attempt };
}

const ownDigests = new Map([...TOOLS.values()].map((tool) => [tool.tool_id, digestOf(tool)]));

/**
 * Proves that the redemption is what the permit orders: arguments, tool, token, policy, snapshot and image hash to the
 * permit's action digest. Throws Fault `permit.invalid` otherwise: then nothing may run.
 */
export async function proveCall(
  permit: Permit,
  redemption: Redemption,
  blobs: BlobStore,
  work: CallWork<ExecutorTasks>,
): Promise<Call> {
  const args = await argumentsOf(redemption, blobs);
  verifyActionDigest(permit, redemption, args);
  const sandbox = sandboxOf(redemption, args);
  const profile = profileOf(redemption);
  const tool = verifiedTool(redemption, { args, sandbox, profile });
  if (!(await fits(tool, args, redemption, work)))
    throw new Fault('permit.invalid', 'the arguments do not fit the tool');
  return {
    tenantId: redemption.tenant_id,
    operationId: redemption.operation_id,
    attempt: redemption.attempt,
    toolId: redemption.tool_id,
    cli: tool.cli ?? null,
    ...(tool.http === undefined ? {} : { http: tool.http }),
    ...(tool.mcp === undefined ? {} : { mcp: tool.mcp }),
    resources: tool.bound ?? [],
    workspaceId: redemption.workspace_id,
    ...actsForOf(redemption),
    imageDigest: redemption.image_digest,
    args,
    root: parseSnapshotId(redemption.state_snapshot_id),
    fs: redemption.fs,
    net: [...(redemption.net ?? []), ...(profile === null ? [] : [profile.net])],
    limits: profile === null ? redemption.limits : narrowedLimits(redemption.limits, profile),
    ...secretsOf(redemption),
    ...(sandbox === null ? {} : { sandbox: dataOf(sandbox) }),
    ...(profile === null ? {} : { profile }),
    ...registeredImageOf(redemption),
    ...redactOf(redemption, tool),
    ...suppliedOf(redemption),
    ...withSeal(sealOf(permit, redemption)),
    nodes: new Map(
      redemption.nodes.map((text) => Buffer.from(text, 'base64')).map((bytes) => [sha256Hex(bytes), bytes]),
    ),
  };
}

/** The tool of the call, as it is defined here. @throws Fault `permit.invalid` where the kernel has another one */
function verifiedTool(
  redemption: Redemption,
  within: {
    readonly args: Call['args'];
    readonly sandbox: SignedSandbox | null;
    readonly profile: ExecutionProfile | null;
  },
): ToolDefinition {
  const { args, sandbox, profile } = within;
  const boundTool =
    profile !== null
      ? dangerousTool(profile)
      : sandbox !== null
        ? toolWithin(sandbox.digest)
        : toolOnResources(redemption, args);
  const tool = boundTool ?? toolOf(redemption);
  if (
    !tool ||
    (boundTool === null ? (ownDigests.get(tool.tool_id) ?? digestOf(tool)) : digestOf(tool)) !==
      redemption.tool_definition_digest
  ) {
    throw new Fault('permit.invalid', `tool \`${redemption.tool_id}\` is not defined here as it is at the kernel`);
  }
  return tool;
}

/** For whom the call acts, and whose labels count. The permit orders the token. */
function actsForOf(redemption: Redemption): Pick<Call, 'actsFor'> {
  const { acts_for: principal, session: labelScope, capability_token_id: token, workspace_id } = redemption;
  return principal === undefined || labelScope === undefined
    ? {}
    : { actsFor: { token, principal, labelScope, workspace: workspace_id } };
}

/** What is redacted of the result. @throws Fault `permit.invalid` where nothing of this tool's result can be */
function redactOf({ redact = [] }: Redemption, tool: ToolDefinition): Pick<Call, 'redact'> {
  if (redact.length === 0) return {};
  if (redactableResult(tool) !== null) return { redact };
  throw new Fault('permit.invalid', `nothing can be redacted of the result of \`${tool.tool_id}\``);
}

/** The values of the call apart from those of its resources. */
function secretsOf({ secrets }: Redemption): Pick<Call, 'secrets' | 'resourceSecrets'> {
  const isOfResource = ([name]: [string, string]): boolean => name.startsWith(RESOURCE_SECRET_PREFIX);
  const all = Object.entries(secrets);
  return {
    secrets: Object.fromEntries(all.filter((entry) => !isOfResource(entry))),
    resourceSecrets: Object.fromEntries(
      all.filter(isOfResource).map(([name, value]) => [name.slice(RESOURCE_SECRET_PREFIX.length), value]),
    ),
  };
}

/** What the kernel read for the call when it was redeemed, as far as its tool takes it. */
const suppliedOf = ({
  audio_key,
  skill,
  skills,
  container,
  agent,
  tasks,
}: Redemption): Pick<Call, 'audioKey' | 'skill' | 'skills' | 'container' | 'agent' | 'tasks'> => ({
  ...(audio_key === undefined ? {} : { audioKey: Buffer.from(audio_key, 'base64') }),
  ...(skill === undefined ? {} : { skill }),
  ...(skills === undefined ? {} : { skills }),
  ...(container === undefined ? {} : { container }),
  ...(agent === undefined ? {} : { agent }),
  ...(tasks === undefined ? {} : { tasks }),
});

/** Throws Fault `permit.invalid` when the redemption and its arguments don't hash to the permit's action digest. */
function verifyActionDigest(permit: Permit, redemption: Redemption, args: Readonly<Record<string, unknown>>): void {
  const digest = actionDigest({
    tool_id: redemption.tool_id,
    tool_definition_digest: redemption.tool_definition_digest,
    args_hash: argsHash(decodeBase64(redemption.args_salt), args),
    capability_token_id: redemption.capability_token_id,
    policy_hash: redemption.policy_hash,
    state_snapshot_id: redemption.state_snapshot_id,
    image_digest: redemption.image_digest,
  });
  if (digest !== permit.action_digest)
    throw new Fault('permit.invalid', 'what was redeemed is not what the permit orders');
}

/**
 * The time limit for checking arguments, in milliseconds: the longest time for patterns and values within their limits,
 * on a busy machine.
 */
const CHECK_MS = 10_000;

/** Patterns come from the tenant, and may be costly. So a worker thread checks them. */
async function fits(
  tool: ToolDefinition,
  args: Readonly<Record<string, unknown>>,
  { cli_tool }: Redemption,
  work: CallWork<ExecutorTasks>,
): Promise<boolean> {
  const tenants = TOOLS.has(tool.tool_id) ? undefined : cli_tool;
  return tenants === undefined
    ? argumentFaults(tool, args).length === 0
    : await work.run('arguments.fit', { tool: tenants, args }, CHECK_MS);
}

const withSeal = (seal: ContentSeal | null): Pick<Call, 'seal'> => (seal === null ? {} : { seal });

/**
 * The definition of one of Writ's own tools, or of a tenant's tool as the kernel sent it. The permit orders the
 * definition's digest, so another definition fails the check.
 */
function toolOf({ tool_id, cli_tool }: Redemption): ToolDefinition | undefined {
  return TOOLS.get(tool_id) ?? (cli_tool?.tool_id === tool_id ? tenantDefinition(cli_tool) : undefined);
}

/**
 * The definition on the registered resources that the arguments name; null where they name none. INVARIANT (no other
 * resource): the permit orders the digest of each resource, which covers its settings.
 */
function toolOnResources(redemption: Redemption, args: Readonly<Record<string, unknown>>): ToolDefinition | null {
  const { resources = [] } = redemption;
  const tool = toolOf(redemption);
  const named =
    tool === undefined ? [] : targetsOf(tool, args).filter(({ right, every }) => right === 'use' && every !== true);
  const isNamed = resources.every(
    ({ kind, resource_id, name, ...rest }, at) =>
      named[at]?.kind === kind &&
      [resource_id, name].includes(named[at].ref) &&
      resourceDigest({ kind, name, settings: rest.settings }) === rest.digest,
  );
  if (!isNamed || named.length !== resources.length)
    throw new Fault('permit.invalid', 'the redemption has other resources than the arguments name');
  return tool === undefined || resources.length === 0 ? null : bindTool(tool, resources);
}

/**
 * The registered sandbox that a script names; null where it names none. INVARIANT (no other sandbox): the permit orders
 * the digest of the sandbox. The sandbox is read only for the tenant, name and workspace of the call.
 */
function sandboxOf(
  { tool_id, tenant_id, workspace_id, sandbox }: Redemption,
  args: Readonly<Record<string, unknown>>,
): SignedSandbox | null {
  const name = tool_id === MK8_RUN.tool_id ? sandboxNameOf(args) : null;
  if (name === null) return null;
  if (sandbox === undefined) throw new Fault('permit.invalid', `the redemption has no sandbox \`${name}\``);
  try {
    const read = readSignedSandbox(
      {
        definition: decodeBase64(sandbox.definition),
        statement: decodeBase64(sandbox.statement),
        keyid: sandbox.keyid,
      },
      { tenantId: tenant_id, name },
    );
    if (read.workspace_id === workspace_id) return read;
  } catch (error) {
    if (!(error instanceof SignedSandboxError)) throw error;
    throw new Fault('permit.invalid', `the sandbox \`${name}\` is not as it was signed: ${error.message}`, {
      cause: error,
    });
  }
  throw new Fault('permit.invalid', `the sandbox \`${name}\` is of another workspace`);
}

/**
 * The execution profile of a raw command; null for any other tool. INVARIANT (no other profile): the permit orders the
 * digest of the profile.
 */
function profileOf({ tool_id, profile }: Redemption): ExecutionProfile | null {
  if (tool_id !== SHELL_DANGEROUS.tool_id) return null;
  const read = profile === undefined ? null : profileFrom(decodeBase64(profile));
  if (read === null) throw new Fault('permit.invalid', 'the redemption has no execution profile that can be read');
  return read;
}

/** The reserved limits, narrowed to what the profile allows. */
const narrowedLimits = (limits: Redemption['limits'], { limits: most }: ExecutionProfile): Redemption['limits'] => ({
  ...limits,
  wall_ms: Math.min(limits.wall_ms, most.wall_ms),
  memory_bytes: Math.min(limits.memory_bytes, most.memory_bytes),
});

/**
 * The tenant's image of the call. INVARIANT (no other image): the permit orders the digest of what runs, so another
 * source can only name the same contents.
 */
function registeredImageOf({ image, image_digest }: Redemption): Pick<Call, 'registeredImage'> {
  if (image === undefined) return {};
  const source = sourceFrom(decodeBase64(image.definition));
  if (source === null || image.image_digest !== image_digest)
    throw new Fault('permit.invalid', 'the redemption has another image than the permit orders');
  return { registeredImage: source };
}

async function argumentsOf(
  { args, args_ref, args_key, tenant_id, operation_id }: Redemption,
  blobs: BlobStore,
): Promise<Record<string, unknown>> {
  if (args !== null) return args;
  if (args_ref === null || args_ref.size > LIMITS.argsBytes.max)
    throw new Fault('permit.invalid', 'the redemption has no arguments');
  const stored = await blobs.get(tenant_id as TenantId, args_ref.sha256);
  const bytes =
    args_key === undefined
      ? stored
      : openedArguments(
          {
            key: Buffer.from(args_key, 'base64'),
            tenantId: tenant_id,
            operationId: operation_id,
            attempt: ARGUMENTS_ATTEMPT,
          },
          stored,
        );
  return parseIJson(bytes, { depthMax: LIMITS.argsDepth.max }) as Record<string, unknown>;
}

function openedArguments(seal: ContentSeal, stored: Uint8Array): Uint8Array {
  try {
    return openContent(seal, 'args', stored);
  } catch (cause) {
    throw new Fault('permit.invalid', 'the arguments are not sealed as those of the call', { cause });
  }
}
