// SPDX-License-Identifier: Apache-2.0
import { Fault, type Delta, type FaultCode, type ReportRequest, type TenantId, type ToolDefinition } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { decideEffect } from '@writ/capability';
import { effectDigest } from '@writ/digest';
import { endingFault, type EndingFault, type EndingRequests, type EndingResult } from '../endings/index.ts';
import type { SealedBy, TenantVault } from '../payload/index.ts';
import type { ActivePolicy, PolicySets } from '../ports/index.ts';
import type { AttemptFacts } from '../attempts/index.ts';
import { badLink, readToolOf, type TenantPool } from '../store/index.ts';
import { callArguments } from './call-arguments.ts';
import { decideEffectPolicy, UNASKED, type EffectPolicy, type JudgedEffect } from './decide-effect-policy.ts';
import { decideLimits } from './decide-limits.ts';
import { reportedFault } from './reported-fault.ts';
import { ReportedContents, sealedBy } from './reported-contents.ts';
import { readRequests } from './reported-requests.ts';
import { readContents, readDelta, readResult, verifyOutput, type Contents } from './staged-effect.ts';

/** What the check says of a report: what it stages, as far as that can be read, and why it mustn't commit (`fault`), null where it may. */
export interface CheckedEffect extends EffectPolicy {
  readonly result: EndingResult | null;
  /** what asked to leave; null where that can't be read */
  readonly requests: EndingRequests | null;
  /** null only beside a fault */
  readonly delta: Delta | null;
  readonly digest: string | null;
  /** contents that came with the report, by hash: stored with the state that names them */
  readonly contents: Contents;
}

type Staged = { readonly delta: Delta; readonly contents: Contents };
const NO_CONTENTS: Contents = new Map();

/** What a report can be wrong in. Any other fault is our own store's, and then the executor asks again. */
const OF_THE_EFFECT: ReadonlySet<FaultCode> = new Set<FaultCode>(['effect.invalid', 'limit.exceeded']);

/**
 * Checks an effect as the arguments were checked.
 * INVARIANT (no unchecked effect): a delta is committed only after it was found well-formed, of the attempt's snapshot, within the write roots of every token
 * of the chain, and permitted by the policy in force.
 */
export class EffectCheck {
  readonly #blobs: BlobStore;
  readonly #vault: TenantVault;
  readonly #policies: PolicySets;
  readonly #tenants: TenantPool;

  constructor(blobs: BlobStore, vault: TenantVault, policies: PolicySets, tenants: TenantPool) {
    this.#tenants = tenants;
    this.#blobs = blobs;
    this.#vault = vault;
    this.#policies = policies;
  }

  /** @param by what sealed the contents that the report names; of a staged effect, the attempt that staged it, and null for one of a time when none were sealed */
  async of(facts: AttemptFacts, report: ReportRequest, by: SealedBy | null = sealedBy(report)): Promise<CheckedEffect> {
    const { operation } = facts;
    const tool = await readToolOf(this.#tenants, operation);
    if (tool === null || operation.state_snapshot_id === null) throw new Error(`operation \`${operation.operation_id}\` has an attempt without a tool or a snapshot`);
    const nothing = { result: null, requests: null, delta: null, digest: null, contents: NO_CONTENTS };
    const stored = new ReportedContents(this.#vault.calls, this.#blobs, operation, by);
    const requests = await orFault(readRequests(stored, report));
    if ('code' in requests) return { ...nothing, ...no(requests) };
    const result = await orFault(readResult(stored, tool, report));
    if ('code' in result) return { ...nothing, requests, ...no(result) };
    const output = await orFault(verifyOutput(this.#blobs, report).then(() => ({})));
    if ('code' in output) return { ...nothing, requests, result, ...no(output) };
    const delta = await orFault(readDelta(this.#blobs, tool, operation.state_snapshot_id, report));
    if ('code' in delta) return { ...nothing, requests, result, ...no(delta) };
    const contents = await orFault(readContents(report));
    if ('code' in contents) return { ...nothing, requests, result, ...no(contents) };
    const digest = effectDigest({
      changes: delta.changes.map(({ path, before, after }) => ({ path, before, after })),
      exit_status: report.exit_code, result_hash: result.hash, requests: requests.list,
    });
    return { result, requests, delta, digest, contents, ...await this.#verdict(facts, report, tool, { delta, contents }) };
  }

  async #verdict(facts: AttemptFacts, report: ReportRequest, tool: ToolDefinition, { delta, contents }: Staged): Promise<EffectPolicy> {
    const args = await callArguments(this.#vault, this.#blobs, facts);
    const reported = reportedFault(report, tool, args);
    if (reported !== null || delta.changes.length === 0) return no(reported);
    const beyond = decideLimits(facts.operation, tool, delta);
    if (beyond !== null) return no(beyond);
    const scope = decideEffect({ chain: facts.chain, changes: delta.changes });
    if (scope.effect === 'refuse') return no(endingFault(scope.code, scope.message, scope.hint));
    const policy = await this.#policies.of(facts.operation.tenant_id, facts.rules.policy);
    const asked = decideSupervision(facts, policy, { tool, args, delta });
    if (asked.fault !== null) return asked;
    return { ...asked, fault: await decideContents(this.#blobs, report.tenant_id, delta, contents) };
  }
}

/**
 * Of a call that runs under a yes for the session, nobody has seen what it does this time. So the policy is asked as if nobody had said yes, and where it wants
 * a person for nothing but what that person was shown when they said it, they have seen it.
 */
function decideSupervision(facts: AttemptFacts, policy: ActivePolicy, effect: Pick<JudgedEffect, 'tool' | 'args' | 'delta'>): EffectPolicy {
  const { operation, chain, rules } = facts;
  const approved = chain.find(({ capability_token_id }) => capability_token_id === operation.capability_token_id)?.session_approval;
  const isForSession = approved !== undefined && operation.approval_refs.every((ref) => ref === approved.approval_id);
  const asked = decideEffectPolicy(policy, { ...effect, operation, chain, labels: rules.labels, granted: isForSession ? 'autopilot' : operation.autonomy_mode });
  const wasShown = isForSession && asked.asks?.mode === 'soft_gate' && asked.asks.quorum === 1 && asked.asks.reasons.every(({ code }) => approved.reasons.includes(code));
  return wasShown ? { ...asked, asks: null } : asked;
}

const no = (fault: EndingFault | null): EffectPolicy => ({ ...UNASKED, fault });

/** Limits were counted with the sizes that were named, so they must be those of what was stored. */
async function decideContents(blobs: BlobStore, tenantId: TenantId, delta: Delta, contents: Contents): Promise<EndingFault | null> {
  const wanted = delta.changes.flatMap(({ after }) => (after === null || after.sha256 === null ? [] : [{ sha256: after.sha256, size: after.size }]));
  if (wanted.length === 0) return null;
  const elsewhere = [...new Set(wanted.map(({ sha256 }) => sha256))].filter((sha256) => !contents.has(sha256));
  const there = new Map([...contents].map(([sha256, bytes]) => [sha256, bytes.byteLength]));
  if (elsewhere.length > 0) for (const [sha256, size] of await blobs.sizes(tenantId, elsewhere)) there.set(sha256, size);
  if (wanted.some(({ sha256 }) => !there.has(sha256))) return endingFault('effect.invalid', 'the effect names contents that were not stored');
  if (wanted.some(({ sha256, size }) => there.get(sha256) !== size)) return endingFault('effect.invalid', 'the effect names contents of another size than they have');
  const link = await badLink(blobs, tenantId, delta.changes, contents);
  return link === null ? null : endingFault('effect.invalid', link);
}

/** What was read, or what is wrong with it; our own store's failing stays a fault. */
async function orFault<T extends object>(reading: Promise<T>): Promise<T | EndingFault> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Fault && OF_THE_EFFECT.has(error.code)) return endingFault(error.code, error.detail);
    throw error;
  }
}
