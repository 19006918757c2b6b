// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  isTaskTool,
  SKILL_READ,
  VALUE_GET,
  type CallLimits,
  type Permit,
  type Redemption,
  type RedeemRequest,
  type TenantId,
  type ToolDefinition,
} from '@writ/contract';
import { parseJson } from '@writ/digest';
import { openPermit } from '@writ/permit';
import { redeemedContext, sealTo } from '@writ/sealing';
import type { Verifier } from '@writ/signing';
import { attemptFacts, readAttemptFacts, type AttemptFacts, type AttemptMemory } from '../attempts/index.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import { endingFault, frozenFault, unreportedEnding, type EndingFault, type OutcomeWriter } from '../outcomes/index.ts';
import { argumentsKey, plainRef, type PayloadField, type TenantVault } from '../../evidence/payload/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';
import type { RedeemedCall } from '../../foundation/database/functions/attempts.ts';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';
import type { OperationMonitor } from '../telemetry/operation-monitor.ts';
import { readSessionTasks } from '../tasks/index.ts';
import { parseSnapshotId } from '@writ/workspace';
import { DecidedInputs } from './decided-inputs.ts';

/** A call that is not to run any more is ended here, and then said to the executor. */
const ENDS = ['token.revoked', 'token.expired', 'deadline', 'frozen'] as const;
type RedeemVerdict = RedeemedCall['verdict'];

/** A longer root travels by itself: a directory of some five hundred entries. */
const NODE_BYTES_MAX = 64 * 1024;

export interface RedeemOptions {
  readonly leaseMs: number;
  /** of permits, by key id */
  readonly verifiers: ReadonlyMap<string, Verifier>;
  readonly args: ArgumentsReader;
  readonly monitor: Pick<OperationMonitor, 'redeemed'>;
}

/**
 * Turns a permit into a running attempt, once. INVARIANT (one runs): one row update decides between all executors that
 * were given the same permit; who has won may ask again with the same nonce and gets the same answer, since a reply can
 * be lost.
 */
export class Redeem {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;
  readonly #endings: OutcomeWriter;
  readonly #memory: AttemptMemory;
  readonly #trees: Trees;
  readonly #options: RedeemOptions;
  readonly #inputs: DecidedInputs;

  constructor(
    tenants: TenantPool,
    vault: TenantVault,
    endings: OutcomeWriter,
    memory: AttemptMemory,
    trees: Trees,
    options: RedeemOptions,
  ) {
    this.#tenants = tenants;
    this.#vault = vault;
    this.#endings = endings;
    this.#memory = memory;
    this.#trees = trees;
    this.#options = options;
    this.#inputs = new DecidedInputs(tenants, vault, endings, options.args);
  }

  /**
   * @throws Fault `permit.invalid`, `permit.expired`, `permit.spent`; `token.revoked`, `token.expired`, `deadline`,
   * `frozen`: the call has been ended.
   */
  async run(request: RedeemRequest): Promise<Redemption> {
    const permit = openPermit(request.permit, this.#options.verifiers);
    const redeemed = await this.#redeem(permit, request);
    const { verdict } = redeemed;
    if (verdict === 'redeemed') return await this.redemptionOf(redeemed, permit, request.public_key ?? null);
    // A preview ends no call: the statement answers it with a fault of its permit.
    if (isEnd(verdict))
      await this.#endings.end(redeemed, unreportedEnding(redeemed.operation, await this.#faultOf(verdict, permit)));
    throw new Fault(verdict);
  }

  /** A freeze is told in its own words; it may have been lifted since, and the call ends all the same. */
  async #faultOf(verdict: (typeof ENDS)[number], permit: Permit): Promise<EndingFault> {
    const frozen = verdict === 'frozen' ? (await readAttemptFacts(this.#tenants, permit)).frozen : null;
    return frozen === null ? endingFault(verdict) : frozenFault(frozen);
  }

  async #redeem(permit: Permit, { executor_id, nonce }: RedeemRequest): Promise<RedeemedCall> {
    const redeem = permit.mode === 'preview' ? kernelSql.redeemPreview : kernelSql.redeem;
    const { tenant_id, operation_id, attempt, action_digest } = permit;
    return (await redeem(this.#tenants.pool, {
      tenant: tenant_id,
      operation: operation_id,
      attempt,
      action_digest,
      executor: executor_id,
      nonce,
      lease_ms: this.#options.leaseMs,
    })) as RedeemedCall;
  }

  /**
   * What an attempt that was redeemed is told, secrets sealed to the key of whoever runs it. @throws Fault where what
   * the call was decided on is gone meanwhile: then it has been ended; `permit.invalid` for a preview
   */
  async redemptionOf(redeemed: RedeemedRows, permit: Permit, publicKey: string | null): Promise<Redemption> {
    const { mode } = permit;
    const facts = attemptFacts(redeemed);
    if (mode === 'run') {
      this.#memory.keep(facts);
      this.#options.monitor.redeemed(facts.operation, permit.issued_at, facts.now);
    }
    const { operation } = facts;
    const { salt, ...columns } = requireRunnable(redeemed);
    const { tool, own } = await this.#inputs.tool(redeemed, mode);
    const call = { redeemed, facts, clear: await this.#argumentsInRow(facts), mode };
    const sandbox = await this.#inputs.sandbox(call);
    const profile = await this.#inputs.profile(call);
    const values = await this.#inputs.values(call, tool);
    return {
      ...columns,
      ...decidedOf(facts),
      args: call.clear,
      ...(await this.#contentKeys(facts, permit)),
      args_salt: (await this.#opened(operation, 'salt', salt)).toString('base64'),
      ...(await sealedFor(operation, values, publicKey)),
      limits: limitsOf(profile?.tool ?? tool, operation),
      ...(own === null ? {} : 'provider' in own ? { search_tool: own } : { cli_tool: own }),
      ...(sandbox === null ? {} : { sandbox }),
      ...(profile === null ? {} : { profile: profile.bytes }),
      ...(operation.tool_id === SKILL_READ.tool_id ? { skill: await this.#inputs.skill(call) } : {}),
      ...(isTaskTool(operation.tool_id)
        ? { tasks: await readSessionTasks(this.#tenants, this.#vault.calls, operation) }
        : {}),
      nodes: operation.lane === 'inline' ? await this.#root(operation.tenant_id, columns.state_snapshot_id) : [],
      lease_ms: this.#options.leaseMs,
    };
  }

  /** The arguments in clear; null where they are a blob. */
  async #argumentsInRow({ operation, args }: AttemptFacts): Promise<Readonly<Record<string, unknown>> | null> {
    if (args === null) return null;
    return parseJson((await this.#opened(operation, 'args', args)).toString('utf8')) as Record<string, unknown>;
  }

  async #opened({ tenant_id, operation_id }: OperationRow, field: PayloadField, sealed: Buffer): Promise<Buffer> {
    return await this.#vault.calls.openLive(tenant_id, operation_id, field, sealed);
  }

  /**
   * INVARIANT (to one alone): what seals and opens contents of an attempt goes to the executor that redeemed its
   * permit, and is of no use for any other.
   */
  async #contentKeys(
    { operation, args_ref }: AttemptFacts,
    { attempt, mode }: Permit,
  ): Promise<Pick<Redemption, 'args_key' | 'content_key'>> {
    const args_key = args_ref === null ? undefined : await argumentsKey(this.#vault.calls, operation, args_ref);
    const { key } = await this.#vault.calls.liveContentSeal(operation, attempt, mode);
    return { content_key: key.toString('base64'), ...(args_key === undefined ? {} : { args_key }) };
  }

  /**
   * The root of the snapshot, which every inline call reads and the commit reads again: mostly it was made here a
   * moment ago.
   */
  async #root(tenantId: string, snapshotId: string): Promise<string[]> {
    const bytes = await this.#trees.reader(tenantId as TenantId)(parseSnapshotId(snapshotId));
    return bytes.byteLength <= NODE_BYTES_MAX ? [Buffer.from(bytes).toString('base64')] : [];
  }
}

/** What a run needs and an admitted call has. A call without it is a bug of whoever admitted it. */
function requireRunnable({ operation, salt }: RedeemedRows) {
  const { operation_id, tool_definition_digest, workspace_id, state_snapshot_id, lease_until } = operation;
  if (
    salt === null ||
    tool_definition_digest === null ||
    workspace_id === null ||
    state_snapshot_id === null ||
    lease_until === null
  ) {
    throw new Error(`operation \`${operation_id}\` was admitted without what a run needs`);
  }
  return { salt, tool_definition_digest, workspace_id, state_snapshot_id, lease_until };
}

/** What of the decision the executor gets as it is recorded. */
const decidedOf = ({ operation, args_ref, chain }: AttemptFacts) => ({
  v: 1 as const,
  operation_id: operation.operation_id,
  tenant_id: operation.tenant_id,
  attempt: operation.attempt,
  tool_id: operation.tool_id,
  args_ref: args_ref && plainRef(args_ref),
  capability_token_id: operation.capability_token_id,
  policy_hash: operation.policy_hash,
  image_digest: operation.image_digest,
  fs: chain.map(({ grant }) => grant.fs),
  net: chain.map(({ grant }) => grant.net),
});

const isEnd = (verdict: RedeemVerdict): verdict is (typeof ENDS)[number] =>
  (ENDS as readonly string[]).includes(verdict);

/**
 * INVARIANT (sealed on the way): a secret leaves sealed to the executor that redeems, so that no message on the bus
 * holds it. Who names no key gets none, and can't run the call.
 */
async function sealedFor(
  { tenant_id, operation_id, tool_id }: OperationRow,
  values: Redemption['secrets'],
  publicKey: string | null,
): Promise<Pick<Redemption, 'secrets' | 'sealed'>> {
  const entries = Object.entries(values);
  if (tool_id === VALUE_GET.tool_id || entries.length === 0) return { secrets: values };
  if (publicKey === null) return { secrets: {} };
  const key = Buffer.from(publicKey, 'base64');
  const seal = async (name: string, value: string): Promise<string> =>
    (await sealTo(key, Buffer.from(value, 'utf8'), redeemedContext(tenant_id, operation_id, name))).toString('base64');
  return {
    secrets: {},
    sealed: Object.fromEntries(
      await Promise.all(entries.map(async ([name, value]) => [name, await seal(name, value)] as const)),
    ),
  };
}

/** The tool's limits, narrowed to what was reserved for this call. */
function limitsOf(tool: ToolDefinition, { limits }: Pick<OperationRow, 'limits'>): CallLimits {
  const least = (own: number, reserved: number | undefined): number => Math.min(own, reserved ?? own);
  return {
    ...tool.limits,
    wall_ms: least(tool.limits.wall_ms, limits?.wall_ms),
    cpu_ms: least(tool.limits.cpu_ms, limits?.cpu_ms),
    disk_write_bytes: least(tool.limits.disk_write_bytes, limits?.disk_write_bytes),
    egress_bytes: least(tool.limits.egress_bytes ?? 0, limits?.egress_bytes),
  };
}
