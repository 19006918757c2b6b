// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  isTaskTool,
  MK8_RUN,
  SHELL_DANGEROUS,
  SKILL_READ,
  TOOLS,
  VALUE_GET,
  type CallLimits,
  type FaultCode,
  type Permit,
  type Redemption,
  type RedeemRequest,
  type TenantId,
  type TenantTool,
  type ToolDefinition,
} from '@writ/contract';
import { parseJson } from '@writ/digest';
import { dangerousTool, profileNamed } from '@writ/mk8-shell/dangerous';
import { sandboxNamed, toolWithin } from '@writ/mk8-shell/tool';
import { openPermit } from '@writ/permit';
import { redeemedContext, sealTo } from '@writ/sealing';
import type { Verifier } from '@writ/signing';
import { attemptFacts, readAttemptFacts, type AttemptFacts, type AttemptMemory } from '../attempts/index.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import { callArguments } from '../effects/index.ts';
import { endingFault, frozenFault, unreportedEnding, type EndingFault, type Endings } from '../outcomes/index.ts';
import { argumentsKey, plainRef, type PayloadField, type TenantVault } from '../../evidence/payload/index.ts';
import { definitionDigest, readDecidedTool } from '../../judging/tools/tenant-tools.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { profileFor } from '../../judging/tools/execution-profiles.ts';
import { sandboxFor } from '../../judging/tools/script-sandboxes.ts';
import { skillAtHand } from '../../judging/tools/skills.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';
import type { RedeemedCall } from '../../foundation/database/functions/attempts.ts';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';
import type { OperationMonitor } from '../telemetry/operation-monitor.ts';
import { readSessionTasks } from '../tasks/index.ts';
import { SessionValues } from '../values/index.ts';
import { parseSnapshotId } from '@writ/workspace';

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
  readonly #endings: Endings;
  readonly #memory: AttemptMemory;
  readonly #trees: Trees;
  readonly #options: RedeemOptions;
  readonly #values: SessionValues;

  constructor(
    tenants: TenantPool,
    vault: TenantVault,
    endings: Endings,
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
    this.#values = new SessionValues(tenants, vault);
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
    const { operation, args, args_ref } = facts;
    const { salt } = redeemed;
    const { tool_definition_digest, workspace_id, state_snapshot_id, lease_until, operation_id } = operation;
    if (
      salt === null ||
      tool_definition_digest === null ||
      workspace_id === null ||
      state_snapshot_id === null ||
      lease_until === null
    ) {
      throw new Error(`operation \`${operation_id}\` was admitted without what a run needs`);
    }
    const { tool, own } = await this.#tool(redeemed, mode);
    const opened = async (field: PayloadField, sealed: Buffer): Promise<Buffer> =>
      await this.#vault.calls.openLive(operation.tenant_id, operation_id, field, sealed);
    const clear =
      args === null ? null : (parseJson((await opened('args', args)).toString('utf8')) as Record<string, unknown>);
    const sandbox = await this.#sandbox(redeemed, { facts, clear, mode });
    const profile = await this.#profile(redeemed, { facts, clear, mode });
    const values = await this.#valuesOf(redeemed, { facts, tool, clear, mode });
    return {
      v: 1,
      operation_id,
      tenant_id: operation.tenant_id,
      attempt: operation.attempt,
      tool_id: operation.tool_id,
      tool_definition_digest,
      args: clear,
      args_ref: args_ref && plainRef(args_ref),
      ...(await this.#contentKeys(facts, permit)),
      args_salt: (await opened('salt', salt)).toString('base64'),
      capability_token_id: operation.capability_token_id,
      policy_hash: operation.policy_hash,
      workspace_id,
      state_snapshot_id,
      image_digest: operation.image_digest,
      fs: facts.chain.map(({ grant }) => grant.fs),
      net: facts.chain.map(({ grant }) => grant.net),
      ...(await sealedFor(operation, values, publicKey)),
      limits: limitsOf(profile?.tool ?? tool, operation),
      ...(own === null ? {} : 'provider' in own ? { search_tool: own } : { cli_tool: own }),
      ...(sandbox === null ? {} : { sandbox }),
      ...(profile === null ? {} : { profile: profile.bytes }),
      ...(operation.tool_id === SKILL_READ.tool_id
        ? { skill: await skillAtHand(this.#tenants, operation.tenant_id, await this.#skillNamed(facts, clear)) }
        : {}),
      ...(isTaskTool(operation.tool_id)
        ? { tasks: await readSessionTasks(this.#tenants, this.#vault.calls, operation) }
        : {}),
      nodes: operation.lane === 'inline' ? await this.#root(operation.tenant_id, state_snapshot_id) : [],
      lease_until,
      lease_ms: this.#options.leaseMs,
    };
  }

  /**
   * The tool that was decided on. INVARIANT (no other tool): a call whose tool was changed or removed since runs
   * neither as it was nor as it is by now; a preview, which commits nothing, shows what was asked for.
   */
  async #tool(redeemed: RedeemedRows, mode: Permit['mode']): Promise<{ tool: ToolDefinition; own: TenantTool | null }> {
    const { operation } = redeemed;
    const writs = TOOLS.get(operation.tool_id);
    if (writs !== undefined) return { tool: writs, own: null };
    const decided = await readDecidedTool(this.#tenants, operation);
    if (decided !== null && (decided.inForce || mode === 'preview'))
      return { tool: decided.definition, own: decided.document };
    if (mode === 'preview') throw new Fault('permit.invalid');
    await this.#endings.end(
      redeemed,
      unreportedEnding(
        operation,
        endingFault(
          'tool.changed',
          `the tool \`${operation.tool_id}\` was changed or removed since the call was decided`,
          'propose it anew',
        ),
      ),
    );
    throw new Fault('tool.changed');
  }

  /**
   * The sandbox that a script was decided in, verified once more. INVARIANT (no other sandbox): a call whose sandbox
   * was changed, signed anew or removed since, or whose registrar's key was revoked, doesn't run.
   */
  async #sandbox(
    redeemed: RedeemedRows,
    {
      facts,
      clear,
      mode,
    }: { facts: AttemptFacts; clear: Readonly<Record<string, unknown>> | null; mode: Permit['mode'] },
  ): Promise<Redemption['sandbox'] | null> {
    const { operation } = facts;
    if (operation.tool_id !== MK8_RUN.tool_id) return null;
    const name = sandboxNamed(clear ?? (await callArguments(this.#options.args, facts)));
    if (name === null) return null;
    try {
      const { source, digest } = await sandboxFor(this.#tenants, operation.tenant_id, name);
      if (definitionDigest(toolWithin(digest)) !== operation.tool_definition_digest)
        throw new Fault(
          'tool.changed',
          `the sandbox \`${name}\` was changed or signed anew since the call was decided`,
        );
      const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
      return { definition: base64(source.definition), statement: base64(source.statement), keyid: source.keyid };
    } catch (error) {
      return await this.#gone(error, redeemed, mode, 'propose it anew once the sandbox is as it should be');
    }
  }

  /**
   * The execution profile that a raw command was decided under, read once more. INVARIANT (no other profile): a call
   * whose profile was removed or is another since doesn't run.
   */
  async #profile(
    redeemed: RedeemedRows,
    {
      facts,
      clear,
      mode,
    }: { facts: AttemptFacts; clear: Readonly<Record<string, unknown>> | null; mode: Permit['mode'] },
  ): Promise<{ tool: ToolDefinition; bytes: string } | null> {
    const { operation } = facts;
    if (operation.tool_id !== SHELL_DANGEROUS.tool_id) return null;
    const name = profileNamed(clear ?? (await callArguments(this.#options.args, facts))) ?? '';
    try {
      const { profile, bytes } = await profileFor(this.#tenants, operation.tenant_id, name);
      const tool = dangerousTool(profile);
      if (definitionDigest(tool) !== operation.tool_definition_digest)
        throw new Fault('tool.changed', `the execution profile \`${name}\` is another since the call was decided`);
      return { tool, bytes: Buffer.from(bytes).toString('base64') };
    } catch (error) {
      return await this.#gone(error, redeemed, mode, 'propose it anew once the execution profile is as it should be');
    }
  }

  /**
   * Which version that is, is said here and not with the decision: a skill is read as a page is, and its digest is in
   * what the call answers.
   */
  async #skillNamed(facts: AttemptFacts, clear: Readonly<Record<string, unknown>> | null): Promise<string> {
    const { skill } = clear ?? (await callArguments(this.#options.args, facts));
    return String(skill);
  }

  /**
   * Ends a call whose sandbox or profile is no longer what it was decided on. A preview ends no call. Always throws.
   */
  async #gone(error: unknown, redeemed: RedeemedRows, mode: Permit['mode'], hint: string): Promise<never> {
    if (!(error instanceof Fault) || !GONE.has(error.code)) throw error;
    if (mode === 'preview') throw new Fault('permit.invalid');
    await this.#endings.end(
      redeemed,
      unreportedEnding(redeemed.operation, endingFault(error.code, error.message, hint)),
    );
    throw error;
  }

  /**
   * INVARIANT (to one alone): values are unwrapped for the answer to a redemption, and for nothing else. Whose value
   * has gone meanwhile is ended here.
   */
  async #valuesOf(
    redeemed: RedeemedRows,
    {
      facts,
      tool,
      clear,
      mode,
    }: {
      facts: AttemptFacts;
      tool: ToolDefinition;
      clear: Readonly<Record<string, unknown>> | null;
      mode: Permit['mode'];
    },
  ): Promise<Redemption['secrets']> {
    // Only where the tool takes any: long arguments are read twice then.
    const args = clear ?? (tool.accepts_secrets.length > 0 ? await callArguments(this.#options.args, facts) : {});
    try {
      return await this.#values.forCall(facts.operation, tool, args, mode);
    } catch (error) {
      if (!(error instanceof Fault) || (error.code !== 'value.missing' && error.code !== 'secret.unknown')) throw error;
      await this.#endings.end(
        redeemed,
        unreportedEnding(facts.operation, endingFault(error.code, error.message, 'have it set, or ask for it anew')),
      );
      throw error;
    }
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

/** What became of a sandbox or a profile since a call was decided in it. */
const GONE: ReadonlySet<string> = new Set([
  'tool.changed',
  'sandbox.unknown',
  'sandbox.unverified',
  'profile.unknown',
] satisfies FaultCode[]);

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
