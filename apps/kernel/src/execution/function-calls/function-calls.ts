// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  redactableResult,
  redactionPointers,
  type FunctionPermit,
  type FunctionRedemption,
  type FunctionRenewal,
  type FunctionReported,
  type FunctionTool,
  type KernelRequest,
  type RedactableResult,
  type OperationId,
  type PermitReleased,
  type TakenPermit,
  type TenantId,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openFunctionPermit, sealFunctionPermit } from '@writ/permit';
import type { Signer, Verifier } from '@writ/signing';
import type { TaskRunner } from '@writ/worker-pool';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { RedeemedFunction, TakenCall } from '../../foundation/database/functions/function-calls.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import { readDecidedTool } from '../../judging/definitions/tenant-tools.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import { attemptFacts, readAttemptFacts, type AttemptFacts } from '../attempts/index.ts';
import type { Commit } from '../commit/index.ts';
import { callArguments } from '../effects/index.ts';
import {
  frozenFault,
  outcomeFault,
  unreportedOutcome,
  type OutcomeFault,
  type OutcomeWriter,
} from '../outcomes/index.ts';
import type { Renew } from '../renew/index.ts';
import type { OperationMonitor } from '../telemetry/operation-monitor.ts';
import type { ExecutionTasks } from '../worker-tasks.ts';
import { credentialsOf, reportOf } from './function-report.ts';
import { FunctionResults } from './function-results.ts';

/** Verdicts that end the call here; its executor then gets them as a fault. */
const ENDING: ReadonlySet<string> = new Set(['token.revoked', 'token.expired', 'deadline', 'frozen', 'tool.changed']);

export interface FunctionCallOptions {
  readonly permitTtlMs: number;
  readonly leaseMs: number;
  readonly signer: Signer;
  /** of permits, by key id */
  readonly verifiers: ReadonlyMap<string, Verifier>;
  readonly args: ArgumentsReader;
  readonly monitor: Pick<OperationMonitor, 'redeemed'>;
  /** null: all of it is done on the event loop, for specs */
  readonly work: TaskRunner<ExecutionTasks> | null;
}

/**
 * Calls that processes of a tenant run (ADR 0136). They are decided, held, budgeted and recorded as any other call.
 * INVARIANT (own credential): a permit names the API key that took it, and counts only for that key. INVARIANT (no
 * claim that isn't true): what such a process reports is recorded as its claim.
 */
export class FunctionCalls {
  readonly #tenants: TenantPool;
  readonly #outcomeWriter: OutcomeWriter;
  readonly #renew: Renew;
  readonly #commit: Commit;
  readonly #options: FunctionCallOptions;
  readonly #results: FunctionResults;

  constructor(
    tenants: TenantPool,
    outcomeWriter: OutcomeWriter,
    renew: Renew,
    commit: Commit,
    options: FunctionCallOptions,
  ) {
    this.#tenants = tenants;
    this.#outcomeWriter = outcomeWriter;
    this.#renew = renew;
    this.#commit = commit;
    this.#options = options;
    this.#results = new FunctionResults(options.work);
  }

  /**
   * A permit for a call that waits: for a worker of one of its tools, for an agent of its own call. @throws Fault
   * `auth.role`, `request.malformed`
   */
  async take({ caller, operation_id }: KernelRequest<'function.take'>): Promise<TakenPermit> {
    requireRole(caller, 'worker', 'agent');
    const { role, tenant_id, api_key_id, tools = [] } = caller;
    if ((role === 'agent') === (operation_id === null))
      throw new Fault('request.malformed', 'an agent names its call, and a worker names none');
    if (operation_id?.includes('\0') === true) return { permit: null };
    const taken = await kernelSql.takeFunction(this.#tenants.pool, {
      tenant: tenant_id,
      tools: [...tools],
      operation: operation_id,
      key: api_key_id,
      ttl_ms: this.#options.permitTtlMs,
    });
    return { permit: taken === null ? null : sealFunctionPermit(permitOf(taken, api_key_id), this.#options.signer) };
  }

  /**
   * Takes a permit back that its holder never received. No attempt is lost by it. @throws Fault `permit.invalid`,
   * `auth.role`
   */
  async release(request: Pick<KernelRequest<'function.release'>, 'caller' | 'permit'>): Promise<PermitReleased> {
    const { tenant_id, operation_id, attempt, api_key_id } = this.#open(request);
    const released = await kernelSql.releaseFunction(this.#tenants.pool, {
      tenant: tenant_id,
      operation: operation_id,
      attempt,
      key: api_key_id,
    });
    return { released };
  }

  /**
   * Exchanges a permit for the call's arguments, once; the same nonce may ask again, since a reply can be lost. From
   * then on the function may have taken effect.
   * @throws Fault `permit.invalid`, `permit.expired`, `permit.spent`; `tool.changed`, `token.revoked`, `token.expired`,
   * `deadline`, `frozen`: the call has been ended
   */
  async redeem(request: KernelRequest<'function.redeem'>): Promise<FunctionRedemption> {
    const permit = this.#open(request);
    const { tool } = await this.#factsOf(permit);
    const { tenant_id, operation_id, attempt, action_digest, api_key_id } = permit;
    const redeemed = (await kernelSql.redeemFunction(this.#tenants.pool, {
      tenant: tenant_id,
      operation: operation_id,
      attempt,
      action_digest,
      executor: api_key_id,
      nonce: request.nonce,
      lease_ms: this.#options.leaseMs,
      effect: !tool.idempotent,
    })) as RedeemedFunction;
    const { verdict } = redeemed;
    if (verdict === 'redeemed') return await this.#redemptionOf(redeemed, permit, tool);
    if (ENDING.has(verdict))
      await this.#outcomeWriter.end(
        redeemed,
        unreportedOutcome(redeemed.operation, await this.#faultOf(verdict, permit)),
      );
    throw new Fault(verdict);
  }

  /** Extends the lease. @throws Fault `permit.invalid`, `attempt.fenced` */
  async renew(request: KernelRequest<'function.renew'>): Promise<FunctionRenewal> {
    const permit = this.#open(request);
    const { lease_until, stop } = await this.#renew.run({ v: 1, ...credentialsOf(permit, request.nonce) });
    return { lease_until, stop };
  }

  /**
   * Ends the call by what its executor claims. Resolves once the outcome is durable; a repeated report gets the same
   * reply. A result that doesn't fit the tool ends the call as failed. @throws Fault `permit.invalid`,
   * `attempt.fenced`, `overloaded`
   */
  async report(request: KernelRequest<'function.report'>): Promise<FunctionReported> {
    const permit = this.#open(request);
    const { facts, tool, redactable } = await this.#factsOf(permit);
    const redact = redactionPointers(facts.operation.redactions, redactable ?? { copies: [] });
    const { claimed, fault } = await this.#results.kept(permit.tenant_id, {
      outcome: request.outcome,
      schema: tool.result,
      redact,
    });
    const { state, tx_outcome } = await this.#commit.run(reportOf(permit, request.nonce, claimed, fault));
    return { state, tx_outcome };
  }

  /**
   * Opens an attacker-controlled permit. A forged one, one of another tenant and one of another key get the same
   * answer.
   */
  #open({ caller, permit }: Pick<KernelRequest<'function.redeem'>, 'caller' | 'permit'>): FunctionPermit {
    requireRole(caller, 'worker', 'agent');
    const opened = openFunctionPermit(permit, this.#options.verifiers);
    if (opened.tenant_id !== caller.tenant_id || opened.api_key_id !== caller.api_key_id)
      throw new Fault('permit.invalid');
    return opened;
  }

  /** The call, and its tool as it was decided on. */
  async #factsOf(
    permit: FunctionPermit,
  ): Promise<{ facts: AttemptFacts; tool: FunctionTool; redactable: RedactableResult | null }> {
    const { tenant_id, operation_id } = permit;
    const facts = await readAttemptFacts(this.#tenants, {
      tenant_id: tenant_id as TenantId,
      operation_id: operation_id as OperationId,
    });
    const decided = await readDecidedTool(this.#tenants, facts.operation);
    if (decided === null || !('kind' in decided.document) || decided.document.kind !== 'function')
      throw new Error(`operation \`${operation_id}\` has a permit without a function`);
    return { facts, tool: decided.document, redactable: redactableResult(decided.definition) };
  }

  async #redemptionOf(
    redeemed: RedeemedFunction,
    permit: FunctionPermit,
    { idempotent, timeout_ms }: FunctionTool,
  ): Promise<FunctionRedemption> {
    const facts = attemptFacts(redeemed);
    const { operation, now } = facts;
    const { tool_definition_digest, lease_until } = operation;
    if (tool_definition_digest === null || lease_until === null)
      throw new Error(`operation \`${operation.operation_id}\` was redeemed without what a run needs`);
    this.#options.monitor.redeemed(operation, permit.issued_at, now);
    return {
      operation_id: permit.operation_id,
      attempt: permit.attempt,
      tool_id: operation.tool_id,
      tool_definition_digest,
      args: await callArguments(this.#options.args, facts),
      idempotent,
      timeout_ms,
      lease_until,
      lease_ms: this.#options.leaseMs,
    };
  }

  /** The fault of a freeze contains its reason; it may have been lifted since, and the call ends all the same. */
  async #faultOf(verdict: RedeemedFunction['verdict'], permit: FunctionPermit): Promise<OutcomeFault> {
    if (verdict === 'tool.changed')
      return outcomeFault(
        verdict,
        `the tool \`${permit.tool_id}\` was changed or removed since the call was decided`,
        'propose it anew',
      );
    const frozen = verdict === 'frozen' ? (await this.#factsOf(permit)).facts.frozen : null;
    return frozen === null ? outcomeFault(verdict as OutcomeFault['code']) : frozenFault(frozen);
  }
}

const permitOf = (
  { tenant_id, operation_id, attempt, tool_id, action_digest, issued_at, expires_at }: TakenCall,
  apiKeyId: FunctionPermit['api_key_id'],
): FunctionPermit => ({
  v: 1,
  permit_id: newId('permit'),
  tenant_id: tenant_id as TenantId,
  operation_id: operation_id as OperationId,
  attempt,
  api_key_id: apiKeyId,
  tool_id,
  action_digest,
  issued_at,
  expires_at,
});
