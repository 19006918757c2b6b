// SPDX-License-Identifier: Apache-2.0
// What a registration says of the workloads of a Kubernetes cluster.
import { Fault, type AgentId, type Id } from '@writ/contract';
import { parsePinnedKeys } from '../../edge/access/workloads/pinned-keys.ts';
import { isServiceAccountSubject } from '../../edge/access/workloads/workload-token.ts';
import { NO_WORKLOADS, sinceWhen, type Workload, type WorkloadMapping } from '../../store/identities/workloads.ts';
import type { ProviderSettings } from './views.ts';

/** What the settings of a cluster store of what they have none of. */
export const NOTHING_OF_OAUTH = {
  ...{ tenant_claim: null, tenant_value: null, scopes: [], groups_claim: null, groups: [] },
  ...{ person_claim: null, agent_id: null, agent_claim: null, sign_in: null },
} as const;

/** Members of the settings that a cluster has none of: all of them say what access tokens give. */
const OF_OAUTH = Object.keys(NOTHING_OF_OAUTH) as (keyof typeof NOTHING_OF_OAUTH)[];

/**
 * The workloads and keys that the settings name. Omitted members stay as they are.
 * @throws Fault `request.malformed` with what is wrong
 */
export async function workloadMappingOf(
  settings: ProviderSettings,
  before: WorkloadMapping | null,
  now: number,
): Promise<WorkloadMapping> {
  const profile = settings.profile ?? before?.profile ?? NO_WORKLOADS.profile;
  if (profile === 'oauth') {
    for (const name of ['workloads', 'jwks'] as const)
      if (settings[name] !== undefined && settings[name] !== null)
        throw malformed(`/${name}`, `\`${name}\` belongs to the profile \`kubernetes\``);
    return NO_WORKLOADS;
  }
  const other = OF_OAUTH.find((name) => settings[name] !== undefined);
  if (other !== undefined)
    throw malformed(`/${other}`, `the profile \`kubernetes\` has no \`${other}\`: \`workloads\` say who may do what`);
  const { workloads, jwks } = settings;
  return {
    profile,
    workloads:
      workloads === undefined ? (before?.workloads ?? []) : sinceWhen(parse(workloads), before?.workloads ?? [], now),
    jwks: jwks === undefined ? (before?.jwks ?? null) : jwks === null ? null : await parsePinnedKeys(jwks.keys),
  };
}

type Named = NonNullable<ProviderSettings['workloads']>;

function parse(workloads: Named): Workload[] {
  return workloads.map((each, at) => {
    const { subject, role, agent_id = null, tools = null, capability_token_id = null } = each;
    const pointer = `/workloads/${String(at)}`;
    if (!isServiceAccountSubject(subject))
      throw malformed(`${pointer}/subject`, 'a `subject` is `system:serviceaccount:NAMESPACE:NAME`');
    if (workloads.findIndex((other) => other.subject === subject) !== at)
      throw malformed(`${pointer}/subject`, `\`${subject}\` occurs twice`);
    if ((role === 'agent') !== (agent_id !== null))
      throw malformed(
        `${pointer}/agent_id`,
        'a workload of the role `agent` names its `agent_id`, and no other one does',
      );
    if ((role === 'worker') !== (tools !== null))
      throw malformed(`${pointer}/tools`, 'a workload of the role `worker` names its `tools`, and no other one does');
    if (capability_token_id !== null && role !== 'agent')
      throw malformed(`${pointer}/capability_token_id`, 'only a workload of the role `agent` has a capability token');
    return {
      ...{ subject, role, tools: tools === null ? null : [...tools] },
      ...{ agent_id: agent_id as AgentId | null, capability_token_id: capability_token_id as Id<'token'> | null },
    };
  });
}

const malformed = (pointer: string, why: string): Fault => new Fault('request.malformed', why, { pointer });

/** Why an administrator of the tenant can't let in a workload. No token of a cluster could show that it agrees. */
export const operatorPuts = (): Fault =>
  malformed(
    '/workloads',
    'only the operator, by the platform key, registers a cluster, names further workloads or roles, or puts its keys: otherwise whoever comes first would get the workloads of others. You may take workloads away, and change their agents and tools',
  );
