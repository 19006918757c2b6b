// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type ContainerView } from '@writ/contract';
import type { Announcer } from '../../execution/announcements/index.ts';
import { postable } from '../../judging/judgement/index.ts';
import type { Outbox } from '../../evidence/outbox/outbox.ts';
import { composeRecord, traceIdsOf, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import type { Containers } from './containers.ts';

/**
 * Kills containers for operators. The actor is recorded before anything is killed. The call ends once, like other calls
 * that were stopped.
 */
export class KillContainer {
  readonly #containers: Containers;
  readonly #tenants: TenantPool;
  readonly #sealer: RecordSealer;
  readonly #outbox: Outbox;
  readonly #announcer: Announcer;

  constructor(containers: Containers, tenants: TenantPool, sealer: RecordSealer, outbox: Outbox, announcer: Announcer) {
    this.#containers = containers;
    this.#tenants = tenants;
    this.#sealer = sealer;
    this.#outbox = outbox;
    this.#announcer = announcer;
  }

  /**
   * Resolves when the request to end it is durable. @throws Fault `not_found`, `auth.role`, `conflict` for a preview
   */
  async run({ caller, container_id }: KernelRequest<'container.kill'>): Promise<ContainerView> {
    if (caller !== null) requireRole(caller, 'admin', 'operator');
    const actor = caller?.api_key_id ?? 'platform';
    const container = await this.#containers.find(caller, container_id);
    if (container.kind === 'preview') throw new Fault('conflict', 'a preview ends with its call: cancel the operation');
    if (container.kind === 'session') await this.#killShell(container, actor);
    if (container.operation_id !== null) await this.#killCall(container, container.operation_id, actor);
    return container;
  }

  async #killShell(container: ContainerView, actor: string): Promise<void> {
    const record = await this.#recordOf(container, null, actor);
    if (
      await kernelSql.killShell(this.#tenants.pool, {
        tenant: container.tenant_id,
        shell: container.container_id,
        records: [postable(record)],
      })
    ) {
      this.#outbox.enqueue([record], { mayLinger: false });
    }
  }

  async #killCall(container: ContainerView, operationId: string, actor: string): Promise<void> {
    const seen = await kernelSql.attemptFacts(this.#tenants.pool, {
      tenant: container.tenant_id,
      operation: operationId,
    });
    const record = await this.#recordOf(container, seen?.operation ?? null, actor);
    const requested = await kernelSql.killCall(this.#tenants.pool, {
      tenant: container.tenant_id,
      operation: operationId,
      by: actor,
      records: [postable(record)],
    });
    // The call has ended meanwhile, so there is nothing to kill.
    if (requested === null) return;
    if (requested.recorded) this.#announcer.announce(requested.operation, [record]);
    this.#announcer.stop(requested.operation);
  }

  /** `operation`: the call that is stopped; null for a session, which may have no running call. */
  async #recordOf(
    { container_id, tenant_id, agent_id, workspace_id }: ContainerView,
    operation: OperationRow | null,
    actor: string,
  ): Promise<SealedRecord> {
    const recorded_at = await kernelSql.nowMs(this.#tenants.pool, {});
    return this.#sealer.seal(
      composeRecord({
        kind: 'change',
        tenant_id,
        agent_id,
        workspace_id,
        actor,
        recorded_at,
        ...(operation === null
          ? {}
          : {
              operation_id: operation.operation_id,
              provenance: operation.provenance,
              ...traceIdsOf(operation.traceparent),
            }),
        change: { verb: 'sandbox_killed', subject: container_id, digest: null },
      }),
      { actionDigest: operation?.action_digest ?? null, newRoot: null },
    );
  }
}
