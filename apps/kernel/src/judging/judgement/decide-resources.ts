// SPDX-License-Identifier: Apache-2.0
//
// The registered resources that a call names. INVARIANT (granted twice): an agent's grant and every token of the chain
// must cover a resource. INVARIANT (unknown like ungranted): an agent can't tell a resource that isn't granted to it
// from one that doesn't exist.
import {
  AGENT_MANAGE,
  CLEARANCES,
  secretsOfSettings,
  targetsOf,
  TOOLS,
  type BoundResource,
  type Clearance,
  type ContainerSettings,
  type Reason,
  type ToolDefinition,
} from '@writ/contract';
import { listsResource } from '@writ/capability';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { consentTo, takesPersons } from '../definitions/person-consents.ts';
import { missingSecrets, resourcesFor, type NamedResource } from '../definitions/registered-resources.ts';
import type { ActivePolicy, Supervision } from '../policies/policy-sets.ts';
import { refusal, type Arguments, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import { stricter } from './decide-supervision.ts';

/**
 * The resources that the call's arguments name, read now, and which of the secrets that their settings name don't
 * exist; empty where they name none. And the consent of the call's person, where a resource needs it.
 * @param own the tenant's tool that the call names
 */
export async function readNamedResources(
  tenants: TenantPool,
  call: Pick<JudgedCall, 'tenant_id' | 'tool_id' | 'agent_id' | 'proposed_by'>,
  args: Arguments | Refusal,
  own: CallFacts['tool'],
): Promise<Required<Pick<CallFacts, 'resources' | 'missing_secrets' | 'consent'>>> {
  const tool = TOOLS.get(call.tool_id) ?? own ?? null;
  if (tool === null || 'effect' in args) return { resources: [], missing_secrets: [], consent: null };
  const resources = await resourcesFor(tenants, call, targetsOf(tool, args.value));
  const granted = boundTo(resources) ?? [];
  return {
    resources,
    missing_secrets: await missingSecrets(tenants, call.tenant_id, granted),
    consent: await consentTo(tenants, call, granted),
  };
}

/** The resources that a definition is bound to; null unless all that the call uses is granted. */
export function boundTo(resources: readonly NamedResource[]): readonly BoundResource[] | null {
  if (resources.some(({ clearance }) => clearance === null)) return null;
  const used = resources.filter(({ reference }) => reference.right === 'use' && reference.every !== true);
  const found = used.map(({ resource }) => resource);
  return found.every((resource) => resource !== null) ? found : null;
}

/** Decides whether the call may use or make the resources that it names. Null: it may, or names none. */
export function decideResources(
  call: Pick<JudgedCall, 'agent_id' | 'workspace_id'>,
  tool: ToolDefinition,
  facts: CallFacts,
): Refusal | null {
  const { resources, chain } = facts;
  if (tool.targets === undefined) return null;
  if (resources === undefined) throw new Error(`a call of \`${tool.tool_id}\` was judged without its resources`);
  for (const named of resources) {
    const { right, every } = named.reference;
    const refused =
      right === 'create'
        ? refuseCreation(named, chain)
        : every === true
          ? refuseEvery(named, chain)
          : refuseUse(call, tool, named, chain);
    if (refused !== null) return refused;
  }
  return refuseSelf(call, tool, resources) ?? refuseWithoutSecret(tool, facts) ?? refuseWithoutConsent(tool, facts);
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

/** INVARIANT (one's own rights): nobody's call goes to such a server under the rights of another, or of the tenant. */
function refuseWithoutConsent({ bound = [] }: ToolDefinition, { consent }: CallFacts): Refusal | null {
  const server = bound.find(takesPersons);
  if (server === undefined || consent === 'connected') return null;
  return consent === 'no_person'
    ? refusal(
        'mcp.consent_required',
        `the MCP server \`${server.name}\` acts under the rights of each person, and this API key is of no person who is known here`,
        `a person with an access token connects with \`writ mcp-server connect ${server.name}\`, and calls by that; an API key is no person`,
      )
    : refusal(
        'mcp.consent_required',
        `the MCP server \`${server.name}\` acts under the rights of each person, and the person of this call is not connected to it`,
        `the person connects with \`writ mcp-server connect ${server.name}\`, and proposes the call anew`,
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
  call: Pick<JudgedCall, 'workspace_id'>,
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
  return refuseUnlisted(resource, chain) ?? refuseElsewhere(call, resource, pointer);
}

/** Refuses a container that works in another workspace: its shell would have a copy of the call's. */
function refuseElsewhere(
  { workspace_id }: Pick<JudgedCall, 'workspace_id'>,
  { kind, name, settings }: BoundResource,
  pointer: string,
): Refusal | null {
  if (kind !== 'container') return null;
  const own = (settings as ContainerSettings).workspace_id;
  return own === null || own === workspace_id
    ? null
    : refusal(
        'token.scope',
        `\`${pointer}\`: the container \`${name}\` is for another workspace`,
        'propose the call in the workspace of the container, or name another container',
      );
}

function refuseEvery({ reference: { kind }, clearance }: NamedResource, chain: CallFacts['chain']): Refusal | null {
  return clearance === null
    ? refusal(
        'policy.denied',
        `this agent may not use every ${wordsOf(kind)} of the tenant`,
        `an administrator lets it do so with \`writ resource grant ${kind} --agent ID\``,
      )
    : refuseUnlisted({ kind, name: '*' }, chain);
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
 * grant never lowers what policy requires, and as many persons approve as policy requires at that supervision.
 */
export function underClearance<T extends Supervision>(
  required: T,
  { resources = [], definition = null }: Pick<CallFacts, 'resources' | 'definition'>,
  { quorum }: Pick<ActivePolicy, 'quorum'>,
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
  if (mode === required.autonomy_mode || strictest === 'autopilot') return required;
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
    approvers: {
      count: Math.max(quorum[strictest], required.approvers?.count ?? 1),
      role: strictest === 'escalated' ? 'admin' : 'operator',
      ...(required.approvers?.groups === undefined ? {} : { groups: required.approvers.groups }),
    },
    reasons: [reason, ...required.reasons],
  };
}

const wordsOf = (kind: string): string => kind.replaceAll('_', ' ');
const articleOf = (kind: string): string => `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${wordsOf(kind)}`;
/** How a command names one resource of the kind. Agents are named by their ids alone. */
const nameOf = (kind: string): string => (kind === 'agent' ? 'agent:ID' : `${kind}:NAME`);
