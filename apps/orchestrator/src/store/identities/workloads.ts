// SPDX-License-Identifier: Apache-2.0
// Workloads: service accounts of Kubernetes clusters whose projected tokens a tenant accepts (ADR 0172).
import type { AgentId, Id } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';

/** How the tokens of an issuer are verified. INVARIANT (chosen here): the registration says it, and never a token. */
export const PROFILES = ['oauth', 'kubernetes'] as const;
export type ProviderProfile = (typeof PROFILES)[number];

/** What a workload may be. INVARIANT (a machine never votes): no role of these decides about anything. */
export const WORKLOAD_ROLES = ['agent', 'auditor', 'worker'] as const;
export type WorkloadRole = (typeof WORKLOAD_ROLES)[number];

/** A service account of a cluster, and what it may do. */
export interface Workload {
  /** `system:serviceaccount:NAMESPACE:NAME` */
  readonly subject: string;
  readonly role: WorkloadRole;
  /** of the role `agent` */
  readonly agent_id: AgentId | null;
  /** of the role `worker`: the tools whose calls it may take */
  readonly tools: readonly string[] | null;
  /** of the role `agent`: the only capability token of which it may exchange parts; null: each of its agent */
  readonly capability_token_id: Id<'token'> | null;
}

/** As it is stored. */
export interface RegisteredWorkload extends Workload {
  /** when it was registered as it is, in milliseconds since the epoch: what was revoked before is made anew */
  readonly since: number;
}

/** A public key of a cluster, with only the members that verification needs. */
export type PinnedKey = Readonly<Record<string, string>> & { readonly kid: string };

/** What the registration of a cluster has beside that of another issuer. */
export interface WorkloadMapping {
  readonly profile: ProviderProfile;
  readonly workloads: readonly RegisteredWorkload[];
  /** the only keys of the issuer; null: those that it publishes */
  readonly jwks: readonly PinnedKey[] | null;
}

/** What every other issuer has. */
export const NO_WORKLOADS: WorkloadMapping = { profile: 'oauth', workloads: [], jwks: null };

const isSame = (a: unknown, b: unknown): boolean =>
  Buffer.from(canonicalBytes(a as never)).equals(Buffer.from(canonicalBytes(b as never)));

const settingsOf = ({ subject, role, agent_id, tools, capability_token_id }: Workload): Workload => ({
  subject,
  role,
  agent_id,
  tools,
  capability_token_id,
});

/** The workloads with the times from which on each is as it is. */
export const sinceWhen = (
  workloads: readonly Workload[],
  before: readonly RegisteredWorkload[],
  now: number,
): RegisteredWorkload[] =>
  workloads.map((each) => {
    const former = before.find(({ subject }) => subject === each.subject);
    const isKept = former !== undefined && isSame(settingsOf(former), settingsOf(each));
    // Two changes within a millisecond are two changes.
    return { ...settingsOf(each), since: isKept ? former.since : Math.max(now, (former?.since ?? 0) + 1) };
  });

/**
 * Whether a change lets in what nobody stood for before: another service account, another role, or other keys. An
 * administrator of the tenant alone may take workloads away, and change whom they act for.
 */
export const widens = (before: WorkloadMapping, after: WorkloadMapping): boolean =>
  !isSame(before.jwks, after.jwks) ||
  after.workloads.some(
    ({ subject, role }) => !before.workloads.some((each) => each.subject === subject && each.role === role),
  );

/**
 * Whether a token could be of a workload of both registrations of one issuer. Clusters that nobody can reach often have
 * the same issuer, and differ in their keys. Within one tenant, denials and members couldn't tell their subjects apart.
 */
export const shareWorkload = (a: WorkloadMapping, b: WorkloadMapping, isOneTenant: boolean): boolean =>
  a.workloads.some(({ subject }) => b.workloads.some((each) => each.subject === subject)) &&
  (isOneTenant || a.jwks === null || b.jwks === null || a.jwks.some(({ kid }) => b.jwks?.some((k) => k.kid === kid)));
