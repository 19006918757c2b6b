// SPDX-License-Identifier: Apache-2.0
import type { Caller, ErasureView, KernelRequest, OperationView, ProposedCall, TextsAnnounced } from '@writ/contract';
import type { ErasureRow } from '../foundation/rows/erasure-row.ts';
import { openKernelSpec } from './kernel-spec.ts';
import { requestBy, callerOf, type TestManagement } from './test-management.ts';
import { reportOf, type TestExecution } from './test-executor.ts';
import type { TestKernel } from './test-kernel.ts';
import { AUTOPILOT } from './test-ports.ts';
import type { TestTenant } from './test-tenant.ts';

/** The arguments and the results of calls contain this text, and nothing else does. */
export const MARKER = 'marker-of-a-person';
const SHOWN = { exit_code: 0, signal: null, output: `hello ${MARKER}`, truncated_bytes: 0, wall_ms: 1 };

/** The content of a call that was erased. */
export const EMPTY = {
  args: null,
  args_ref: null,
  salt: null,
  result: null,
  staged: null,
  requests: null,
  announced: [],
};

type Selectors = Partial<
  Pick<KernelRequest<'erasure.begin'>, 'operation_id' | 'session_id' | 'subject' | 'before' | 'texts'>
>;
const NONE = { operation_id: null, session_id: null, before: null };

interface SceneParts {
  readonly kernel: TestKernel;
  readonly run: TestExecution;
  readonly manage: TestManagement;
  readonly tenant: TestTenant;
  readonly token: string;
}

/** A tenant whose calls are erased. */
export class ErasureScene implements SceneParts {
  readonly kernel: TestKernel;
  readonly run: TestExecution;
  readonly manage: TestManagement;
  readonly tenant: TestTenant;
  /** the token that calls are made with */
  readonly token: string;

  constructor({ kernel, run, manage, tenant, token }: SceneParts) {
    this.kernel = kernel;
    this.run = run;
    this.manage = manage;
    this.tenant = tenant;
    this.token = token;
  }

  as(role: Caller['role'] = 'admin', of = this.tenant): Caller {
    return callerOf(of.tenantId, role, role === 'agent' ? of.agentId : null);
  }

  async erase(selectors: Selectors, caller = this.as()): Promise<ErasureView> {
    return await this.manage.beginErasure.run({
      ...requestBy(caller),
      ...NONE,
      ...selectors,
      reason_code: 'gdpr-art-17',
    });
  }

  async plan(selectors: Selectors, caller = this.as()) {
    return await this.manage.beginErasure.plan({ ...requestBy(caller), ...NONE, ...selectors });
  }

  command(more: Partial<ProposedCall> = {}): ProposedCall {
    return this.tenant.writeCall(this.token, { tool_id: 'shell.run', args: { command: `echo ${MARKER}` }, ...more });
  }

  /** A call that has ended. */
  async ended(more: Partial<ProposedCall> = {}): Promise<ProposedCall> {
    const call = this.command(more);
    const { attempt } = await this.run.perform(this.tenant, call);
    await this.run.commit.run(reportOf(attempt, null, { exit_code: 0, result: SHOWN }));
    return call;
  }

  async read(operation_id: string, of = this.tenant): Promise<OperationView> {
    return await this.manage.readOperation.run({ ...requestBy(this.as('auditor', of)), operation_id });
  }

  /** The records of erasures, the oldest first. */
  async records() {
    return (await this.tenant.records()).filter(({ kind }) => kind === 'erasure');
  }

  async payloadOf(id: string): Promise<Record<string, unknown>> {
    const { rows } = await this.kernel.admin.query(
      'SELECT args, args_ref, salt, result, staged, requests, announced FROM kernel.payload WHERE operation_id = $1',
      [id],
    );
    return rows[0] as Record<string, unknown>;
  }

  async erasureRow(erasureId: string): Promise<ErasureRow> {
    const { rows } = await this.kernel.admin.query<{ e: ErasureRow }>(
      'SELECT to_jsonb(e) AS e FROM kernel.erasure e WHERE erasure_id = $1',
      [erasureId],
    );
    return rows[0]!.e;
  }

  /** Reports that the texts of an erasure are gone. */
  async reportGone({ erasure_id }: { readonly erasure_id: string }) {
    return await this.manage.textErasureOrders.markGone({
      v: 1,
      tenant_id: this.tenant.tenantId,
      erasure_id: erasure_id as TextsAnnounced['erasure_id'],
    });
  }

  /** The orders to erase texts of this tenant. */
  async orders() {
    return (await this.manage.textErasureOrders.orders({ v: 1, limit: 100 })).orders.filter(
      ({ tenant_id }) => tenant_id === this.tenant.tenantId,
    );
  }

  /** Every row of the tenant, in every table of the kernel, as text. */
  async everything(): Promise<string> {
    const { rows: tables } = await this.kernel.admin.query<{
      name: string;
    }>(`SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'kernel'::regnamespace AND c.relkind = 'r'
    AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id')`);
    const texts = await Promise.all(
      tables.map(async ({ name }) =>
        (
          await this.kernel.admin.query<{ t: string }>(
            `SELECT to_jsonb(t)::text AS t FROM kernel.${name} t WHERE tenant_id = $1`,
            [this.tenant.tenantId],
          )
        ).rows.map(({ t }) => t),
      ),
    );
    return texts.flat().join('\n');
  }

  async makeOlder(id: string, days: number): Promise<void> {
    await this.tenant.query('UPDATE kernel.operation SET created_at = created_at - $2 WHERE operation_id = $1', [
      id,
      days * 86_400_000,
    ]);
  }
}

/** Gives each test of a file its own tenant, in a kernel whose policy permits everything. */
export function openErasureSpec(each: (scene: ErasureScene) => void): void {
  let kernel: TestKernel;
  let run: TestExecution;
  let manage: TestManagement;
  openKernelSpec((on) => {
    ({ kernel, run, manage } = on);
  });
  beforeEach(async () => {
    const tenant = await kernel.newTenant();
    await tenant.write({ 'a.txt': 'hello' });
    const token = await tenant.token();
    kernel.policy.answer = () => AUTOPILOT;
    each(new ErasureScene({ kernel, run, manage, tenant, token }));
  });
}
