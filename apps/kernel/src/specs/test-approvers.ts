// SPDX-License-Identifier: Apache-2.0
import { ApprovalView, type Caller, type OperationView, parseMessage } from '@writ/contract';
import type { PolicySetSource } from '@writ/policy';
import { newId } from '@writ/nest-kit';
import { setOf, type PolicyKernel } from './test-policies.ts';
import { decideAsTold } from './test-told.ts';
import type { TestManagement } from './test-management.ts';
import type { TestTenant } from './test-tenant.ts';

/** A rule that reserves every call for groups. */
export const reserve = (approvers: string, quorum = 1, id = 'reserved'): string =>
  `@id("${id}") @reason("reserved") @approvers("${approvers}") @quorum("${quorum}") forbid (principal, action, resource);\n`;

interface Held {
  readonly approval_id: string | null;
}

/** A tenant whose policy reserves approvals, and the persons who decide. */
export class ApproverScene {
  readonly kernel: PolicyKernel;
  readonly manage: TestManagement;
  readonly tenant: TestTenant;
  readonly #keys = new Map<string, string>();
  #token = '';

  constructor(kernel: PolicyKernel, manage: TestManagement, tenant: TestTenant) {
    this.kernel = kernel;
    this.manage = manage;
    this.tenant = tenant;
  }

  static async open(kernel: PolicyKernel, manage: TestManagement): Promise<ApproverScene> {
    const tenant = await kernel.newTenant();
    const scene = new ApproverScene(kernel, manage, tenant);
    scene.#token = await tenant.token();
    return scene;
  }

  /** A person with one key. */
  person(principal: string, role: Caller['role'] = 'operator'): Caller {
    const key = this.#keys.get(principal) ?? newId('apiKey');
    this.#keys.set(principal, key);
    return {
      tenant_id: this.tenant.tenantId,
      api_key_id: key as Caller['api_key_id'],
      role,
      agent_id: null,
      principal,
    };
  }

  async group(name: string, ...members: string[]) {
    const request = { ...this.kernel.asAdmin(this.tenant), name, members, description: null };
    return await this.manage.approverGroups.put(request);
  }

  async install(cedar: string, more: Partial<PolicySetSource> = {}): Promise<void> {
    await this.kernel.install(this.tenant, setOf('reserved', cedar, more));
  }

  async hold(more = {}): Promise<OperationView> {
    return await this.kernel.admit.run(this.tenant.writeCall(this.#token, more), null);
  }

  async show({ approval_id }: Held): Promise<ApprovalView> {
    const request = { ...this.kernel.asAdmin(this.tenant), approval_id: approval_id ?? '' };
    return parseMessage(ApprovalView, await this.kernel.approvals.read(request));
  }

  async decide(
    { approval_id }: Held,
    caller: Caller,
    more: { delegation_id?: string; decision?: 'approve' | 'deny'; effect_digest?: string | null } = {},
  ): Promise<OperationView> {
    const request = { v: 1 as const, caller, approval_id: approval_id ?? '', comment: null };
    return await decideAsTold(this.kernel, { ...request, decision: 'approve', ...more });
  }

  /** Moves the approval's beginning into the past, and so what it waits for. */
  async age({ approval_id }: Held, ms: number): Promise<void> {
    await this.tenant.query(
      `UPDATE kernel.approval SET created_at = created_at - $2, expires_at = expires_at - $2, wakes_at = wakes_at - $2
       WHERE approval_id = $1`,
      [approval_id, ms],
    );
  }

  async notices(): Promise<string[]> {
    const { rows } = await this.kernel.admin.query<{ kind: string }>(
      'SELECT kind FROM kernel.notice WHERE tenant_id = $1 ORDER BY created_at, notice_id',
      [this.tenant.tenantId],
    );
    return rows.map(({ kind }) => kind);
  }
}
