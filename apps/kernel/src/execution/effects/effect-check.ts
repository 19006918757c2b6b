// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  redactableResult,
  redactionPointers,
  type Delta,
  type FaultCode,
  type ReportRequest,
  type TenantId,
  type ToolDefinition,
} from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { inSlices, runInSlices } from '@writ/worker-pool';
import { decideEffectSteps, tenantScope } from '@writ/capability';
import { outcomeFault, type OutcomeFault, type OutcomeRequests, type OutcomeResult } from '../outcomes/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { SealedBy } from '../../foundation/rows/content-ref.ts';
import type { PolicySets } from '../../judging/policies/policy-sets.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import type { AttemptFacts } from '../attempts/index.ts';
import { findLinkFault } from '../../foundation/workspace/link-targets.ts';
import { readToolOf } from '../../judging/definitions/tenant-tools.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { bugFault } from './bug-fault.ts';
import { callArguments } from './call-arguments.ts';
import { NOT_JUDGED, type EffectPolicy } from './decide-effect-policy.ts';
import { decideLimits } from './decide-limits.ts';
import type { EffectExaminer } from './effect-examiner.ts';
import { judgeEffect } from './judge-effect.ts';
import type { CheckedDelta } from './effect-applier.ts';
import { reportedFault } from './reported-fault.ts';
import { ReportedContents, sealedBy } from './reported-contents.ts';
import type { ReportReader } from './report-reader.ts';
import { readContents, verifyOutput, type Contents } from './staged-effect.ts';

/**
 * The result of checking a report: the effect that it stages, as far as that can be read, and why it mustn't commit
 * (`fault`), null where it may.
 */
export interface CheckedEffect extends EffectPolicy {
  readonly result: OutcomeResult | null;
  /** the egress requests; null where they can't be read */
  readonly requests: OutcomeRequests | null;
  /** null only together with a fault */
  readonly delta: Delta | null;
  /** RFC 8785 JSON of the delta */
  readonly bytes: Uint8Array | null;
  readonly digest: string | null;
  /** contents that came with the report, by hash: stored with the state that names them */
  readonly contents: Contents;
}

/** The dependencies of an effect check. */
export interface EffectCheckParts {
  readonly blobs: BlobStore;
  readonly vault: TenantVault;
  readonly policies: PolicySets;
  readonly tenants: TenantPool;
  readonly examiner: EffectExaminer;
  readonly reader: ReportReader;
  readonly args: ArgumentsReader;
  /** receives the bugs that end a check, for operators */
  readonly failed: (error: unknown) => void;
}

interface HowChecked {
  readonly by: SealedBy | null;
  readonly isApproved: boolean;
}

type Staged = CheckedDelta & { readonly bytes: Uint8Array };
const NO_CONTENTS: Contents = new Map();
const NOTHING_READ: CheckedEffect = {
  ...NOT_JUDGED,
  result: null,
  requests: null,
  delta: null,
  bytes: null,
  digest: null,
  contents: NO_CONTENTS,
};

/** Faults of a report itself. Any other fault is our own store's, and the executor then retries. */
const OF_THE_EFFECT: ReadonlySet<FaultCode> = new Set<FaultCode>(['effect.invalid', 'limit.exceeded']);

/**
 * Checks an effect as the arguments were checked. INVARIANT (no unchecked effect): a delta is committed only after it
 * was found well-formed, of the attempt's snapshot, within the write roots of every token of the chain and the paths of
 * the tenant's settings, and permitted by the policy in force.
 */
export class EffectCheck {
  readonly #parts: EffectCheckParts;

  constructor(parts: EffectCheckParts) {
    this.#parts = parts;
  }

  /** Checks the effect of a report of an attempt. */
  async of(facts: AttemptFacts, report: ReportRequest): Promise<CheckedEffect> {
    return await this.#of(facts, report, { by: sealedBy(report), isApproved: false });
  }

  /**
   * Checks once more an effect that was staged and that persons have approved.
   *
   * @param by the attempt that staged it, and sealed its contents; null for one from before contents were sealed
   */
  async ofApproved(facts: AttemptFacts, report: ReportRequest, by: SealedBy | null): Promise<CheckedEffect> {
    return await this.#of(facts, report, { by, isApproved: true });
  }

  async #of(facts: AttemptFacts, report: ReportRequest, how: HowChecked): Promise<CheckedEffect> {
    let read = NOTHING_READ;
    try {
      const tool = await this.#toolOf(facts);
      read = await this.#read(facts, report, tool, how.by);
      const { fault, delta, bytes, contents } = read;
      if (fault !== null || delta === null || bytes === null) return read;
      const verdict = await this.#verdict(facts, report, tool, { delta, bytes, contents }, how.isApproved);
      return { ...read, ...verdict };
    } catch (error) {
      return { ...read, ...withFault(bugFault(error, this.#parts.failed)) };
    }
  }

  async #toolOf({ operation }: AttemptFacts): Promise<ToolDefinition> {
    const tool = await readToolOf(this.#parts.tenants, operation);
    if (tool !== null) return tool;
    throw new Error(`operation \`${operation.operation_id}\` has an attempt without a tool`);
  }

  /** The content of the report, as far as it can be read, and the fault of the rest. */
  async #read(
    { operation }: AttemptFacts,
    report: ReportRequest,
    tool: ToolDefinition,
    by: SealedBy | null,
  ): Promise<CheckedEffect> {
    const { blobs, vault, reader } = this.#parts;
    const { operation_id, state_snapshot_id: snapshot } = operation;
    if (snapshot === null) throw new Error(`operation \`${operation_id}\` has an attempt without a snapshot`);
    const stored = new ReportedContents(vault.calls, blobs, operation, by);
    const requests = await orFault(reader.requests(stored, report));
    if ('code' in requests) return { ...NOTHING_READ, ...withFault(requests) };
    const redact = redactionPointers(operation.redactions, redactableResult(tool) ?? { copies: [] });
    const result = await orFault(reader.result(stored, tool, report, redact));
    if ('code' in result) return { ...NOTHING_READ, requests, ...withFault(result) };
    const output = await orFault(verifyOutput(blobs, report).then(() => ({})));
    if ('code' in output) return { ...NOTHING_READ, requests, result, ...withFault(output) };
    const read = await orFault(reader.delta(report, { snapshot, tool, requests: requests.list }));
    if ('code' in read) return { ...NOTHING_READ, requests, result, ...withFault(read) };
    const contents = await orFault(readContents(report));
    if ('code' in contents) return { ...NOTHING_READ, requests, result, ...withFault(contents) };
    return { ...NOT_JUDGED, result, requests, ...read, contents };
  }

  async #verdict(
    facts: AttemptFacts,
    report: ReportRequest,
    tool: ToolDefinition,
    { delta, bytes, contents }: Staged,
    isApproved: boolean,
  ): Promise<EffectPolicy> {
    const { blobs, policies, examiner } = this.#parts;
    const args = await callArguments(this.#parts.args, facts);
    const reported = reportedFault(report, tool, args, facts.operation.image_digest);
    if (reported !== null || delta.changes.length === 0) return withFault(reported);
    const beyond = decideLimits(facts.operation, tool, delta);
    if (beyond !== null) return withFault(beyond);
    const { chain, rules } = facts;
    const tenant_scope = tenantScope(rules.settings);
    const scope = await runInSlices(decideEffectSteps({ chain, changes: delta.changes, tenant_scope }));
    if (scope.effect === 'refuse') return withFault(outcomeFault(scope.code, scope.message, scope.hint));
    const policy = await policies.of(facts.operation.tenant_id, rules.policy);
    // The contents to examine must be stored, and must match the delta.
    const unstored = await decideContents(blobs, report.tenant_id, delta, contents);
    if (unstored !== null) return withFault(unstored);
    const supervised = await judgeEffect(
      policy,
      facts,
      { tool, args, delta, isApproved },
      async (settings) => await examiner.examine(facts, { delta, bytes, contents }, settings, isApproved),
    );
    if (supervised.fault === null && supervised.moreSupervision === null) return supervised;
    // Nobody is shown an effect whose `before` never existed.
    const untrue = await examiner.untrueOf(report.tenant_id, delta);
    return untrue === null ? supervised : withFault(outcomeFault('effect.invalid', untrue));
  }
}

const withFault = (fault: OutcomeFault | null): EffectPolicy => ({ ...NOT_JUDGED, fault });

/** Limits were counted with the sizes that the delta names, so they must be those of the stored contents. */
async function decideContents(
  blobs: BlobStore,
  tenantId: TenantId,
  delta: Delta,
  contents: Contents,
): Promise<OutcomeFault | null> {
  const sizesByHash = new Map([...contents].map(([sha256, bytes]) => [sha256, bytes.byteLength]));
  const elsewhere = new Set<string>();
  for await (const { after } of inSlices(delta.changes)) {
    if (after !== null && after.sha256 !== null && !sizesByHash.has(after.sha256)) elsewhere.add(after.sha256);
  }
  const sizes = elsewhere.size === 0 ? [] : await blobs.sizes(tenantId, [...elsewhere]);
  for (const [sha256, size] of sizes) sizesByHash.set(sha256, size);
  let isOtherSize = false;
  for await (const { after } of inSlices(delta.changes)) {
    if (after === null || after.sha256 === null) continue;
    const size = sizesByHash.get(after.sha256);
    if (size === undefined) return outcomeFault('effect.invalid', 'the effect names contents that were not stored');
    isOtherSize ||= size !== after.size;
  }
  if (isOtherSize) return outcomeFault('effect.invalid', 'the effect names contents of another size than they have');
  const link = await findLinkFault(blobs, tenantId, delta.changes, contents);
  return link === null ? null : outcomeFault('effect.invalid', link);
}

/** The result of the reading, or the fault of what it read; a fault of our own store is thrown. */
async function orFault<T extends object>(reading: Promise<T>): Promise<T | OutcomeFault> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Fault && OF_THE_EFFECT.has(error.code)) return outcomeFault(error.code, error.detail);
    throw error;
  }
}
