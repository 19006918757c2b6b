// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  type Delta,
  type FaultCode,
  type ReportRequest,
  type TenantId,
  type ToolDefinition,
} from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { inSlices, runInSlices } from '@writ/worker-pool';
import { decideEffectSteps } from '@writ/capability';
import { endingFault, type EndingFault, type EndingRequests, type EndingResult } from '../outcomes/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { SealedBy } from '../../foundation/rows/content-ref.ts';
import type { PolicySets } from '../../judging/policies/policy-sets.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import type { AttemptFacts } from '../attempts/index.ts';
import { badLink } from '../../foundation/workspace/link-targets.ts';
import { readToolOf } from '../../judging/tools/tenant-tools.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { bugEnding } from './bug-ending.ts';
import { callArguments } from './call-arguments.ts';
import { UNASKED, type EffectPolicy } from './decide-effect-policy.ts';
import { decideLimits } from './decide-limits.ts';
import type { EffectExaminer } from './effect-examiner.ts';
import { judgeEffect } from './judge-effect.ts';
import type { CheckedDelta } from './effect-applier.ts';
import { reportedFault } from './reported-fault.ts';
import { ReportedContents, sealedBy } from './reported-contents.ts';
import type { ReportReader } from './report-reader.ts';
import { readContents, verifyOutput, type Contents } from './staged-effect.ts';

/**
 * What the check says of a report: what it stages, as far as that can be read, and why it mustn't commit (`fault`),
 * null where it may.
 */
export interface CheckedEffect extends EffectPolicy {
  readonly result: EndingResult | null;
  /** what asked to leave; null where that can't be read */
  readonly requests: EndingRequests | null;
  /** null only beside a fault */
  readonly delta: Delta | null;
  /** RFC 8785 JSON of the delta */
  readonly bytes: Uint8Array | null;
  readonly digest: string | null;
  /** contents that came with the report, by hash: stored with the state that names them */
  readonly contents: Contents;
}

/** What effects are checked with. */
export interface EffectCheckParts {
  readonly blobs: BlobStore;
  readonly vault: TenantVault;
  readonly policies: PolicySets;
  readonly tenants: TenantPool;
  readonly examiner: EffectExaminer;
  readonly reader: ReportReader;
  readonly args: ArgumentsReader;
  /** gets the bugs that end a check, for operators */
  readonly failed: (error: unknown) => void;
}

interface HowChecked {
  readonly by: SealedBy | null;
  readonly isApproved: boolean;
}

type Staged = CheckedDelta & { readonly bytes: Uint8Array };
const NO_CONTENTS: Contents = new Map();
const NOTHING_READ: CheckedEffect = {
  ...UNASKED,
  result: null,
  requests: null,
  delta: null,
  bytes: null,
  digest: null,
  contents: NO_CONTENTS,
};

/** What a report can be wrong in. Any other fault is our own store's, and then the executor asks again. */
const OF_THE_EFFECT: ReadonlySet<FaultCode> = new Set<FaultCode>(['effect.invalid', 'limit.exceeded']);

/**
 * Checks an effect as the arguments were checked. INVARIANT (no unchecked effect): a delta is committed only after it
 * was found well-formed, of the attempt's snapshot, within the write roots of every token of the chain, and permitted
 * by the policy in force.
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
   * @param by the attempt that staged it, and sealed its contents; null for one of a time when none were sealed
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
      return { ...read, ...no(bugEnding(error, this.#parts.failed)) };
    }
  }

  async #toolOf({ operation }: AttemptFacts): Promise<ToolDefinition> {
    const tool = await readToolOf(this.#parts.tenants, operation);
    if (tool !== null) return tool;
    throw new Error(`operation \`${operation.operation_id}\` has an attempt without a tool`);
  }

  /** What the report says, as far as it can be read, and what is wrong with the rest. */
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
    if ('code' in requests) return { ...NOTHING_READ, ...no(requests) };
    const result = await orFault(reader.result(stored, tool, report));
    if ('code' in result) return { ...NOTHING_READ, requests, ...no(result) };
    const output = await orFault(verifyOutput(blobs, report).then(() => ({})));
    if ('code' in output) return { ...NOTHING_READ, requests, result, ...no(output) };
    const read = await orFault(reader.delta(report, { snapshot, tool, requests: requests.list }));
    if ('code' in read) return { ...NOTHING_READ, requests, result, ...no(read) };
    const contents = await orFault(readContents(report));
    if ('code' in contents) return { ...NOTHING_READ, requests, result, ...no(contents) };
    return { ...UNASKED, result, requests, ...read, contents };
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
    const reported = reportedFault(report, tool, args);
    if (reported !== null || delta.changes.length === 0) return no(reported);
    const beyond = decideLimits(facts.operation, tool, delta);
    if (beyond !== null) return no(beyond);
    const scope = await runInSlices(decideEffectSteps({ chain: facts.chain, changes: delta.changes }));
    if (scope.effect === 'refuse') return no(endingFault(scope.code, scope.message, scope.hint));
    const policy = await policies.of(facts.operation.tenant_id, facts.rules.policy);
    // What is examined must be there, and be what the delta says that it is.
    const unstored = await decideContents(blobs, report.tenant_id, delta, contents);
    if (unstored !== null) return no(unstored);
    const supervised = await judgeEffect(
      policy,
      facts,
      { tool, args, delta, isApproved },
      async (settings) => await examiner.examine(facts, { delta, bytes, contents }, settings, isApproved),
    );
    if (supervised.fault === null && supervised.asks === null) return supervised;
    // Nobody is shown an effect on what never stood there.
    const untrue = await examiner.untrueOf(report.tenant_id, delta);
    return untrue === null ? supervised : no(endingFault('effect.invalid', untrue));
  }
}

const no = (fault: EndingFault | null): EffectPolicy => ({ ...UNASKED, fault });

/** Limits were counted with the sizes that were named, so they must be those of what was stored. */
async function decideContents(
  blobs: BlobStore,
  tenantId: TenantId,
  delta: Delta,
  contents: Contents,
): Promise<EndingFault | null> {
  const there = new Map([...contents].map(([sha256, bytes]) => [sha256, bytes.byteLength]));
  const elsewhere = new Set<string>();
  for await (const { after } of inSlices(delta.changes)) {
    if (after !== null && after.sha256 !== null && !there.has(after.sha256)) elsewhere.add(after.sha256);
  }
  const sizes = elsewhere.size === 0 ? [] : await blobs.sizes(tenantId, [...elsewhere]);
  for (const [sha256, size] of sizes) there.set(sha256, size);
  let isOtherSize = false;
  for await (const { after } of inSlices(delta.changes)) {
    if (after === null || after.sha256 === null) continue;
    const size = there.get(after.sha256);
    if (size === undefined) return endingFault('effect.invalid', 'the effect names contents that were not stored');
    isOtherSize ||= size !== after.size;
  }
  if (isOtherSize) return endingFault('effect.invalid', 'the effect names contents of another size than they have');
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
