// SPDX-License-Identifier: Apache-2.0
import {
  CONTAINER_ACCESS,
  Fault,
  isAgentTool,
  isDeclaredTool,
  isTaskTool,
  redactableResult,
  redactionPointers,
  SKILL_READ,
  VALUE_GET,
  type BoundResource,
  type CallLimits,
  type Permit,
  type Redemption,
  type RedeemRequest,
  type TenantId,
  type ToolDefinition,
} from '@writ/contract';
import { tenantScope } from '@writ/capability';
import { parseJson } from '@writ/digest';
import { openPermit } from '@writ/permit';
import { redeemedContext, sealTo } from '@writ/sealing';
import type { Verifier } from '@writ/signing';
import { attemptFacts, readAttemptFacts, type AttemptFacts, type AttemptMemory } from '../attempts/index.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import {
  outcomeFault,
  frozenFault,
  unreportedOutcome,
  type OutcomeFault,
  type OutcomeWriter,
} from '../outcomes/index.ts';
import { argumentsKey, plainRef, type PayloadField, type TenantVault } from '../../evidence/payload/index.ts';
import { PersonTokens } from '../person-tokens/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';
import type { RedeemedCall } from '../../foundation/database/functions/attempts.ts';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';
import { readAgent } from '../agents/index.ts';
import { readContainer } from '../shells/index.ts';
import type { OperationMonitor } from '../telemetry/operation-monitor.ts';
import { readTasks } from '../tasks/index.ts';
import { parseSnapshotId } from '@writ/workspace';
import { DecidedInputs } from './decided-inputs.ts';
import { isOfUnknownProgram, MCP_PREFIX, ownerOf, redemptionFor, type Redeemer } from './later-members.ts';

/** Verdicts that end the call here; the executor then gets them as a fault. */
const ENDING_VERDICTS = ['token.revoked', 'token.expired', 'deadline', 'frozen'] as const;
type RedeemVerdict = RedeemedCall['verdict'];

/**
 * The largest root that a reply includes, a directory of some five hundred entries. An executor reads larger ones
 * itself.
 */
const NODE_BYTES_MAX = 64 * 1024;

export interface RedeemOptions {
  readonly leaseMs: number;
  /** of permits, by key id */
  readonly verifiers: ReadonlyMap<string, Verifier>;
  readonly args: ArgumentsReader;
  readonly monitor: Pick<OperationMonitor, 'redeemed'>;
}

/**
 * Exchanges a permit for a running attempt, once. INVARIANT (one runs): one row update decides between all executors
 * that received the same permit. The winner may repeat the request with the same nonce and gets the same reply, since a
 * reply can be lost.
 */
export class Redeem {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;
  readonly #outcomeWriter: OutcomeWriter;
  readonly #memory: AttemptMemory;
  readonly #trees: Trees;
  readonly #options: RedeemOptions;
  readonly #inputs: DecidedInputs;
  readonly #persons: PersonTokens;

  constructor(
    tenants: TenantPool,
    vault: TenantVault,
    outcomeWriter: OutcomeWriter,
    memory: AttemptMemory,
    trees: Trees,
    options: RedeemOptions,
  ) {
    this.#tenants = tenants;
    this.#vault = vault;
    this.#outcomeWriter = outcomeWriter;
    this.#memory = memory;
    this.#trees = trees;
    this.#options = options;
    this.#persons = new PersonTokens(tenants, vault);
    this.#inputs = new DecidedInputs(tenants, vault, outcomeWriter, options.args);
  }

  /**
   * @throws Fault `permit.invalid`, `permit.expired`, `permit.spent`; `token.revoked`, `token.expired`, `deadline`,
   * `frozen`: the call has been ended; `overloaded`: its person's access token is being renewed, or
   * another executor has to run it.
   */
  async run(request: RedeemRequest): Promise<Redemption> {
    const permit = openPermit(request.permit, this.#options.verifiers);
    if (permit.mode === 'run' && permit.tool_id.startsWith(MCP_PREFIX)) await this.#persons.requireRenewed(permit);
    if (isOfUnknownProgram(permit, request))
      throw new Fault('overloaded', 'the call waits for an executor that runs MCP servers that are programs');
    const redeemed = await this.#redeem(permit, request);
    const { verdict } = redeemed;
    if (verdict === 'redeemed') return await this.redemptionOf(redeemed, permit, request);
    // A preview ends no call: for one, the statement returns a fault of its permit.
    if (isEnd(verdict))
      await this.#outcomeWriter.end(
        redeemed,
        unreportedOutcome(redeemed.operation, await this.#faultOf(verdict, permit)),
      );
    throw new Fault(verdict);
  }

  /** The fault of a freeze contains its reason; it may have been lifted since, and the call ends all the same. */
  async #faultOf(verdict: (typeof ENDING_VERDICTS)[number], permit: Permit): Promise<OutcomeFault> {
    const frozen = verdict === 'frozen' ? (await readAttemptFacts(this.#tenants, permit)).frozen : null;
    return frozen === null ? outcomeFault(verdict) : frozenFault(frozen);
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
   * The reply for an attempt that was redeemed, secrets sealed to the key of its executor, and with no member that the
   * executor would refuse. @throws Fault where an input
   * of the decision is gone meanwhile: then the call has been ended; `permit.invalid` for a preview
   */
  async redemptionOf(redeemed: RedeemedRows, permit: Permit, to: Redeemer): Promise<Redemption> {
    const { mode } = permit;
    const facts = attemptFacts(redeemed);
    if (mode === 'run') {
      this.#memory.remember(facts);
      this.#options.monitor.redeemed(facts.operation, permit.issued_at, facts.now);
    }
    const { operation } = facts;
    const { salt, ...columns } = requireRunnable(redeemed);
    const { tool, own } = await this.#inputs.tool(redeemed, mode);
    const call = { redeemed, facts, clear: await this.#argumentsInRow(facts), mode };
    const sandbox = await this.#inputs.sandbox(call);
    const skills = await this.#inputs.skills(call, sandbox);
    const profile = await this.#inputs.profile(call);
    const image = await this.#inputs.image(call, own);
    const onResources = await this.#inputs.resources(call, tool);
    const values = await this.#inputs.values(call, onResources?.tool ?? tool, onResources?.resources ?? []);
    return redemptionFor(to, {
      ...columns,
      ...decidedOf(facts),
      ...ownerOf(operation, onResources?.tool ?? tool),
      args: call.clear,
      ...(await this.#contentKeys(facts, permit)),
      args_salt: (await this.#opened(operation, 'salt', salt)).toString('base64'),
      ...(await sealedFor(operation, values, to.public_key ?? null)),
      ...redactOf(tool, operation),
      limits: limitsOf(profile?.tool ?? tool, operation),
      ...(own === null || (isDeclaredTool(own) && own.kind === 'function') ? {} : { cli_tool: own }),
      ...(sandbox === null ? {} : { sandbox }),
      ...(skills === null ? {} : { skills }),
      ...(profile === null ? {} : { profile: profile.bytes }),
      ...(image === null ? {} : { image }),
      ...(onResources === null ? {} : { resources: [...onResources.resources] }),
      ...(mode === 'run' ? await this.#audioKey(operation, onResources?.resources ?? []) : {}),
      ...(operation.tool_id === SKILL_READ.tool_id ? { skill: await this.#inputs.skill(call) } : {}),
      ...(isTaskTool(operation.tool_id)
        ? { tasks: await readTasks(this.#tenants, this.#vault.calls, operation, await this.#inputs.argumentsOf(call)) }
        : {}),
      ...(onResources !== null && operation.tool_id === CONTAINER_ACCESS.tool_id
        ? { container: await readContainer(this.#tenants, operation, onResources.resources) }
        : {}),
      ...(onResources !== null && isAgentTool(operation.tool_id)
        ? { agent: await readAgent(this.#tenants, operation, onResources.resources) }
        : {}),
      nodes: operation.lane === 'inline' ? await this.#root(operation.tenant_id, columns.state_snapshot_id) : [],
      lease_ms: this.#options.leaseMs,
    });
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
   * INVARIANT (to one alone): the keys that seal and open contents of an attempt go to the executor that redeemed its
   * permit, and are useless for any other attempt.
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
   * INVARIANT (one device): the key opens recordings of the device that the call was decided on, and of no other. A
   * preview hears nothing, and gets none.
   */
  async #audioKey(
    { tenant_id }: OperationRow,
    resources: readonly BoundResource[],
  ): Promise<Pick<Redemption, 'audio_key'>> {
    const device = resources.find(({ kind }) => kind === 'audio_device');
    if (device === undefined) return {};
    const cipher = await this.#vault.cipherFor(tenant_id);
    return { audio_key: cipher.audioKey(device.resource_id).toString('base64') };
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

/** The columns that a run needs. An admitted call without them is a bug in its admission. */
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

/** The parts of the decision that the executor gets as recorded. */
const decidedOf = ({ operation, args_ref, chain, rules }: AttemptFacts) => ({
  v: 1 as const,
  operation_id: operation.operation_id,
  tenant_id: operation.tenant_id,
  attempt: operation.attempt,
  tool_id: operation.tool_id,
  args_ref: args_ref && plainRef(args_ref),
  capability_token_id: operation.capability_token_id,
  policy_hash: operation.policy_hash,
  image_digest: operation.image_digest,
  fs: [...chain.map(({ grant }) => grant.fs), tenantScope(rules.settings)],
  net: chain.map(({ grant }) => grant.net),
});

/**
 * What the executor redacts of the result. A tool whose result can't be redacted has no redactions: it was refused.
 */
function redactOf(tool: ToolDefinition, { redactions }: OperationRow): Pick<Redemption, 'redact'> {
  const pointers = redactionPointers(redactions, redactableResult(tool) ?? { copies: [] });
  return pointers.length === 0 ? {} : { redact: pointers };
}

const isEnd = (verdict: RedeemVerdict): verdict is (typeof ENDING_VERDICTS)[number] =>
  (ENDING_VERDICTS as readonly string[]).includes(verdict);

/**
 * INVARIANT (sealed on the way): a secret leaves sealed to the executor that redeems, so that no message on the bus
 * holds it. An executor that names no key gets no secret, and can't run the call.
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

/**
 * The tool's limits, narrowed to what was reserved for this call. The decision set the time of a command, which may be
 * longer than its tool states, and its output.
 */
function limitsOf(tool: ToolDefinition, { limits }: Pick<OperationRow, 'limits'>): CallLimits {
  const least = (own: number, reserved: number | undefined): number => Math.min(own, reserved ?? own);
  return {
    ...tool.limits,
    wall_ms: limits?.wall_ms ?? tool.limits.wall_ms,
    cpu_ms: limits?.cpu_ms ?? tool.limits.cpu_ms,
    disk_write_bytes: least(tool.limits.disk_write_bytes, limits?.disk_write_bytes),
    egress_bytes: least(tool.limits.egress_bytes ?? 0, limits?.egress_bytes),
    output_bytes: limits?.output_bytes ?? tool.limits.output_bytes,
  };
}
