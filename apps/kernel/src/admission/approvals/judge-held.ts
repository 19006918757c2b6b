// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import { Fault, type Budgets } from '@writ/contract';
import { storedArgumentsOf } from '../../execution/held/index.ts';
import {
  actionOf,
  approvedDigest,
  decidePrerequisites,
  readFacts,
  readNamedEnvironment,
  readExistingSecrets,
  readGivenSecrets,
  refusal,
  refuse,
  type Arguments,
  type CallFacts,
  type GivenApproval,
  type Images,
  type JudgedCall,
  type Judge,
  type Judgement,
  type ArgumentsReader,
} from '../../judging/judgement/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { PolicySets } from '../../judging/policies/policy-sets.ts';
import type { RecordSealer } from '../../evidence/records/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** Collaborators of a decision about a held call. */
export interface DecisionDependencies {
  readonly tenants: TenantPool;
  readonly blobs: BlobStore;
  readonly vault: TenantVault;
  readonly sealer: RecordSealer;
  readonly images: Images;
  readonly policies: PolicySets;
  readonly args: ArgumentsReader;
}

/** A held call that was judged again. */
export interface Rejudged {
  readonly held: HeldCall;
  readonly call: JudgedCall;
  readonly judgement: Judgement;
  readonly facts: CallFacts;
}

/** The facts that a held call is judged on. */
export interface HeldFacts {
  readonly call: JudgedCall;
  readonly read: CallFacts;
  /** a refusal that comes before every other check */
  readonly prior: ReturnType<typeof decidePrerequisites>;
}

/** @throws Fault `frozen`: the call stays held, since a freeze is no verdict on it, and ends */
export async function readHeldFacts(
  { tenants, policies }: Pick<DecisionDependencies, 'tenants' | 'policies'>,
  { operation }: HeldCall,
): Promise<HeldFacts> {
  const call = judgedCallOf(operation);
  const read = await readFacts(tenants, policies, call);
  const prior = decidePrerequisites(call, read);
  if (prior?.code === 'frozen') throw new Fault('frozen', prior.message);
  return { call, read, prior };
}

/**
 * Judges a held call with a person's approval, under the current policy and on the current head. `wanted`: the budgets
 * that are still to be reserved, where they aren't those of the full call.
 * @throws Fault `frozen`
 */
export async function judgeHeld(
  dependencies: DecisionDependencies,
  judge: Judge,
  held: HeldCall,
  approval: GivenApproval,
  wanted?: Budgets,
): Promise<Rejudged> {
  const { call, read, prior } = await readHeldFacts(dependencies, held);
  const args = await dependencies.args.readStored(held.operation, storedArgumentsOf(held));
  const facts = {
    ...read,
    // What it applies was verified when it was held.
    staged: null,
    // A call that ran before it was held is counted already.
    budgets: held.operation.attempt > 0 ? [] : (read.budgets ?? []),
    secrets: await readExistingSecrets(dependencies.tenants, call, read, args),
    given_secrets: await readGivenSecrets(dependencies.tenants, call, read, args),
    ...(await readNamedEnvironment(dependencies.tenants, call, args, read.tool)),
  };
  const judged = await judge.judge({ call, prior, facts, args, approval, ...(wanted === undefined ? {} : { wanted }) });
  return {
    held: { ...held, now: facts.now },
    call,
    judgement: refuseIfStale(held, judged, 'effect' in args ? null : args, dependencies.images),
    facts,
  };
}

/** The call as it was proposed. It now gets at least the supervision that it was held for. */
function judgedCallOf(row: OperationRow): JudgedCall {
  if (row.workspace_id === null) throw new Error(`operation \`${row.operation_id}\` is held without a workspace`);
  return { ...row, workspace_id: row.workspace_id, max_autonomy: row.autonomy_mode };
}

/**
 * An approval covers exactly the action that was shown: tool and definition, arguments, token, policy and image. The
 * snapshot may have changed: the call runs on the current head, and its effect is checked there.
 */
function refuseIfStale(held: HeldCall, judgement: Judgement, args: Arguments | null, images: Images): Judgement {
  const { operation, approval } = held;
  if (judgement.verdict === 'refused' || args === null) return judgement;
  const now = approvedDigest(actionOf(operation, judgement, operation.args_hash, images));
  if (now === approval.action_digest) return judgement;
  return refuse(
    judgement,
    refusal(
      'approval.stale',
      'the policy, the tool, its sandbox or the image is another than when the call was held',
      'propose the call anew',
    ),
  );
}
