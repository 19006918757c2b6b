// SPDX-License-Identifier: Apache-2.0
//
// The registered resources that a call names. INVARIANT (granted twice): an agent's grant and every token of the chain
// must cover a resource. INVARIANT (unknown like ungranted): an agent can't tell a resource that isn't granted to it
// from one that doesn't exist.
import {
  AGENT_MANAGE,
  CLEARANCES,
  EVERY_RESOURCE,
  secretsOfSettings,
  targetsOf,
  TOOLS,
  type BoundResource,
  type Clearance,
  type Reason,
  type ToolDefinition,
} from '@writ/contract';
import { listsResource } from '@writ/capability';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { missingSecrets, resourcesFor, type NamedResource } from '../definitions/registered-resources.ts';
import type { Supervision } from '../policies/policy-sets.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import { stricter } from './decide-supervision.ts';

/**
 * The resources that the call's arguments name, read now, and which of the secrets that their settings name don't
 * exist; empty where they name none.
 */
export async function readNamedResources(
  tenants: TenantPool,
  call: Pick<JudgedCall, 'tenant_id' | 'tool_id' | 'agent_id'>,
  args: Arguments | Refusal,
): Promise<Required<Pick<CallFacts, 'resources' | 'missing_secrets'>>> {
  const tool = TOOLS.get(call.tool_id);
  if (tool === undefined || 'effect' in args) return { resources: [], missing_secrets: [] };
  const resources = await resourcesFor(tenants, call, targetsOf(tool, args.value));
  const granted = boundTo(resources) ?? [];
  return { resources, missing_secrets: await missingSecrets(tenants, call.tenant_id, granted) };
}

/** The resources that a definition is bound to; null unless all that the call uses is granted. */
export function boundTo(resources: readonly NamedResource[]): readonly BoundResource[] | null {
  if (resources.some(({ clearance }) => clearance === null)) return null;
  const used = resources.filter(({ reference }) => reference.right === 'use' && reference.ref !== EVERY_RESOURCE);
  const found = used.map(({ resource }) => resource);
  return found.every((resource) => resource !== null) ? found : null;
}

/** Decides whether the call may use or make the resources that it names. Null: it may, or names none. */
export function decideResources(
  call: Pick<JudgedCall, 'agent_id'>,
  tool: ToolDefinition,
  facts: CallFacts,
): Refusal | null {
  const { resources, chain } = facts;
  if (tool.targets === undefined) return null;
  if (resources === undefined) throw new Error(`a call of \`${tool.tool_id}\` was judged without its resources`);
  for (const named of resources) {
    const { right, ref } = named.reference;
    const refused =
      right === 'create'
        ? refuseCreation(named, chain)
        : ref === EVERY_RESOURCE
          ? refuseEvery(named)
          : refuseUse(tool, named, chain);
    if (refused !== null) return refused;
  }
  return refuseSelf(call, tool, resources) ?? refuseWithoutSecret(tool, facts);
}

/** The name of a secret is a part of the settings, which an agent doesn't see. */
function refuseWithoutSecret({ bound = [] }: ToolDefinition, { missing_secrets }: CallFacts): Refusal | null {
  const lacking = bound.find(({ settings }) =>
    secretsOfSettings(settings).some((name) => missing_secrets?.includes(name) ?? true),
  );
  return lacking === undefined
    ? null
    : refusal(
        'secret.unknown',
        `the ${wordsOf(lacking.kind)} \`${lacking.name}\` needs a secret that the tenant doesn't have`,
        'an administrator finds its name in the settings of the resource and sets it (`writ secret set`)',
      );
}

/** INVARIANT (not itself): no agent manages itself, whatever it is granted. Null: the call manages none, or another. */
function refuseSelf(
  { agent_id }: Pick<JudgedCall, 'agent_id'>,
  { tool_id }: ToolDefinition,
  resources: readonly NamedResource[],
): Refusal | null {
  const isSelf = resources.some(({ resource }) => resource?.kind === 'agent' && resource.name === agent_id);
  return isSelf && tool_id === AGENT_MANAGE.tool_id
    ? refusal('agent.itself', '`/agent`: an agent does not manage itself', 'another agent, or a person, does')
    : null;
}

function refuseUse(
  { tool_id }: ToolDefinition,
  { reference: { kind, ref, pointer, implied }, resource, clearance }: NamedResource,
  chain: CallFacts['chain'],
): Refusal | null {
  if (resource === null || clearance === null) {
    return implied === true
      ? refusal(
          'tool.not_available',
          `\`${tool_id}\` needs ${articleOf(kind)} \`${ref}\`, and this agent is granted none of that name`,
          `an administrator registers one (\`writ resource create ${kind} ${ref}\`), or name another`,
        )
      : refusal(
          'resource.unknown',
          `\`${pointer}\`: there is no ${wordsOf(kind)} of this id or name that is granted to this agent`,
          `an administrator registers resources and grants them (\`writ resource grant ${nameOf(kind)} --agent ID\`)`,
        );
  }
  return refuseUnlisted(resource, chain);
}

function refuseEvery({ reference: { kind }, clearance }: NamedResource): Refusal | null {
  return clearance === null
    ? refusal(
        'policy.denied',
        `this agent may not use every ${wordsOf(kind)} of the tenant`,
        `an administrator lets it do so with \`writ resource grant ${kind} --agent ID\``,
      )
    : null;
}

function refuseCreation(
  { reference: { kind, ref, pointer }, clearance, isTaken }: NamedResource,
  chain: CallFacts['chain'],
): Refusal | null {
  if (clearance === null)
    return refusal(
      'policy.denied',
      `this agent may not make ${articleOf(kind)}`,
      `an administrator lets it do so with \`writ resource grant ${kind} --create --agent ID\``,
    );
  if (isTaken === true) return refusal('resource.exists', `\`${pointer}\`: there is ${articleOf(kind)} of this name`);
  return refuseUnlisted({ kind, name: ref }, chain);
}

function refuseUnlisted(resource: Pick<BoundResource, 'kind' | 'name'>, chain: CallFacts['chain']): Refusal | null {
  if (
    listsResource(
      chain.map(({ token }) => token),
      resource,
    )
  )
    return null;
  const entry = `${resource.kind}:${resource.name}`;
  return refusal(
    'token.scope',
    `the capability token does not list the resource \`${entry}\``,
    `a token that lists \`${entry}\` or \`${resource.kind}:*\` would do`,
  );
}

/**
 * What policy requires, raised to the strictest clearance of the resources, the sandbox, the profile or the skill. A
 * grant never lowers what policy requires.
 */
export function underClearance<T extends Supervision>(
  required: T,
  { resources = [], definition = null }: Pick<CallFacts, 'resources' | 'definition'>,
): T {
  const named = [
    ...resources.map(({ reference: { kind, ref }, resource, clearance }) => ({
      kind,
      name: resource?.name ?? ref,
      clearance,
    })),
    ...(definition === null ? [] : [definition]),
  ];
  const strictest = named.reduce<Clearance>(
    (most, { clearance }) =>
      clearance !== null && CLEARANCES.indexOf(clearance) > CLEARANCES.indexOf(most) ? clearance : most,
    'autopilot',
  );
  const mode = stricter(required.autonomy_mode, strictest);
  if (mode === required.autonomy_mode) return required;
  const names = named
    .filter(({ clearance }) => clearance === strictest)
    .map(({ kind, name }) => `${wordsOf(kind)} \`${name}\``);
  const reason: Reason = {
    code: 'resource.clearance',
    message: `the grant of ${names.join(', ')} requires ${strictest === 'escalated' ? "an administrator's" : "a person's"} approval`,
  };
  return {
    ...required,
    autonomy_mode: mode,
    approvers: mode === 'escalated' ? { count: 1, role: 'admin' } : required.approvers,
    reasons: [reason, ...required.reasons],
  };
}

const wordsOf = (kind: string): string => kind.replaceAll('_', ' ');
const articleOf = (kind: string): string => `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${wordsOf(kind)}`;
/** How a command names one resource of the kind. Agents are named by their ids alone. */
const nameOf = (kind: string): string => (kind === 'agent' ? 'agent:ID' : `${kind}:NAME`);
