// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import { Fault, type Budgets } from '@writ/contract';
import { keptOf } from '../../execution/held/index.ts';
import {
  actionOf,
  approvedDigest,
  decideStanding,
  readFacts,
  readNamed,
  readSecretsKnown,
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

/** What a decision about a held call works with. */
export interface DecisionParts {
  readonly tenants: TenantPool;
  readonly blobs: BlobStore;
  readonly vault: TenantVault;
  readonly sealer: RecordSealer;
  readonly images: Images;
  readonly policies: PolicySets;
  readonly args: ArgumentsReader;
}

/** A held call judged once more. */
export interface Rejudged {
  readonly held: HeldCall;
  readonly call: JudgedCall;
  readonly judgement: Judgement;
  readonly facts: CallFacts;
}

/**
 * Judges a held call with a person's yes, under the policy and on the head of now. `wanted`: what is still to be
 * reserved, where it isn't the whole call.
 * @throws Fault `frozen`
 */
export async function judgeHeld(
  parts: DecisionParts,
  judge: Judge,
  held: HeldCall,
  approval: GivenApproval,
  wanted?: Budgets,
): Promise<Rejudged> {
  const call = judgedCallOf(held.operation);
  const read = await readFacts(parts.tenants, parts.policies, call);
  const prior = decideStanding(call, read);
  // The call stays held: a freeze says nothing about it, and ends.
  if (prior?.code === 'frozen') throw new Fault('frozen', prior.message);
  const args = await parts.args.kept(held.operation, keptOf(held));
  const facts = {
    ...read,
    secrets: await readSecretsKnown(parts.tenants, call, read, args),
    ...(await readNamed(parts.tenants, call, args)),
  };
  const judged = await judge.judge({ call, prior, facts, args, approval, ...(wanted === undefined ? {} : { wanted }) });
  return {
    held: { ...held, now: facts.now },
    call,
    judgement: unlessStale(held, judged, 'effect' in args ? null : args, parts.images),
    facts,
  };
}

/** The call as it was proposed. The supervision that it was held for is the least that it gets now. */
function judgedCallOf(row: OperationRow): JudgedCall {
  if (row.workspace_id === null) throw new Error(`operation \`${row.operation_id}\` is held without a workspace`);
  return { ...row, workspace_id: row.workspace_id, max_autonomy: row.autonomy_mode };
}

/**
 * A yes counts for exactly the action that was shown: tool and its definition, arguments, token, policy and image. The
 * snapshot may have moved: the call runs on the head of now, and its effect is checked there.
 */
function unlessStale(held: HeldCall, judgement: Judgement, args: Arguments | null, images: Images): Judgement {
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
