// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type SandboxView } from '@writ/contract';
import type { Announcer } from '../announce/index.ts';
import { postable } from '../judgement/index.ts';
import type { Outbox } from '../ports/index.ts';
import { composeRecord, traceIdsOf, type RecordSealer, type SealedRecord } from '../records/index.ts';
import { callKernel, type OperationRow, type TenantPool } from '../store/index.ts';
import { requireRole } from '../tenancy/index.ts';
import type { Sandboxes } from './sandboxes.ts';

interface Asked { readonly operation: OperationRow; readonly recorded: boolean }

/** Kills containers for whoever runs them. Who did it is recorded before anything is killed; the call ends as any other that was stopped, once. */
export class KillSandbox {
  readonly #sandboxes: Sandboxes;
  readonly #tenants: TenantPool;
  readonly #sealer: RecordSealer;
  readonly #outbox: Outbox;
  readonly #announcer: Announcer;

  constructor(sandboxes: Sandboxes, tenants: TenantPool, sealer: RecordSealer, outbox: Outbox, announcer: Announcer) {
    this.#sandboxes = sandboxes;
    this.#tenants = tenants;
    this.#sealer = sealer;
    this.#outbox = outbox;
    this.#announcer = announcer;
  }

  /** Resolves when it is durable that it is to end. @throws Fault `not_found`, `auth.role`, `conflict` for a preview */
  async run({ caller, sandbox_id }: KernelRequest<'sandbox.kill'>): Promise<SandboxView> {
    if (caller !== null) requireRole(caller, 'admin', 'operator');
    const actor = caller?.api_key_id ?? 'platform';
    const sandbox = await this.#sandboxes.find(caller, sandbox_id);
    if (sandbox.kind === 'preview') throw new Fault('conflict', 'a preview ends with its call: cancel the operation');
    if (sandbox.kind === 'session') await this.#killShell(sandbox, actor);
    if (sandbox.operation_id !== null) await this.#killCall(sandbox, sandbox.operation_id, actor);
    return sandbox;
  }

  async #killShell(sandbox: SandboxView, actor: string): Promise<void> {
    const record = await this.#recordOf(sandbox, null, actor);
    if (await callKernel<boolean>(this.#tenants.pool, 'kill_shell', [sandbox.tenant_id, sandbox.sandbox_id, JSON.stringify([postable(record)])])) {
      this.#outbox.hand(record, { mayLinger: false });
    }
  }

  async #killCall(sandbox: SandboxView, operationId: string, actor: string): Promise<void> {
    const seen = await callKernel<{ operation: OperationRow } | null>(this.#tenants.pool, 'attempt_facts', [sandbox.tenant_id, operationId]);
    const record = await this.#recordOf(sandbox, seen?.operation ?? null, actor);
    const asked = await callKernel<Asked | null>(this.#tenants.pool, 'kill_call', [sandbox.tenant_id, operationId, actor, JSON.stringify([postable(record)])]);
    // Ended by itself meanwhile: nothing of it is there to be killed.
    if (asked === null) return;
    if (asked.recorded) this.#announcer.announce(asked.operation, [record]);
    this.#announcer.stop(asked.operation);
  }

  /** `operation`: the call that is stopped; null for a session, which may have none. */
  async #recordOf({ sandbox_id, tenant_id, agent_id, workspace_id }: SandboxView, operation: OperationRow | null, actor: string): Promise<SealedRecord> {
    const recorded_at = await callKernel<number>(this.#tenants.pool, 'now_ms', []);
    return this.#sealer.seal(composeRecord({
      kind: 'change', tenant_id, agent_id, workspace_id, actor, recorded_at,
      ...(operation === null ? {} : { operation_id: operation.operation_id, provenance: operation.provenance, ...traceIdsOf(operation.traceparent) }),
      change: { verb: 'sandbox_killed', subject: sandbox_id, digest: null },
    }), { actionDigest: operation?.action_digest ?? null, newRoot: null });
  }
}
