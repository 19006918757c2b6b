// SPDX-License-Identifier: Apache-2.0
import type { Caller, PolicyActivation, PolicyPutReply } from '@writ/contract';
import type { PolicySetSource } from '@writ/policy';
import { InlineTaskRunner } from '@writ/worker-pool';
import { Admit, FactCache } from '../admission/admit/index.ts';
import { Changes } from '../evidence/changes/index.ts';
import { Judge } from '../judging/judgement/index.ts';
import { kernelTasks } from '../kernel.worker.ts';
import { loadPolicyEngine, PolicyRepository, StoredPolicySets } from '../judging/policies/index.ts';
import { ActivatePolicy, PutPolicy, ShowPolicies } from '../management/policy-sets/index.ts';
import { Trees } from '../foundation/workspace/trees.ts';
import { Tenancy } from '../foundation/tenancy/index.ts';
import { openTestKernel, type TestKernel } from './test-kernel.ts';
import { requestBy, callerOf } from './test-management.ts';
import type { TestTenant } from './test-tenant.ts';

/** The kernel with real policy sets, as they are stored, activated and evaluated. */
export async function openPolicyKernel() {
  const engine = await loadPolicyEngine(new InlineTaskRunner(kernelTasks));
  const kernel = await openTestKernel(20, (tenants) => new StoredPolicySets(engine, tenants));
  const tenancy = new Tenancy(kernel.tenants);
  const changes = new Changes(tenancy, kernel.sealer, kernel.outbox);
  const policyRepository = new PolicyRepository(engine, kernel.policies as StoredPolicySets, tenancy);
  const put = new PutPolicy(changes, policyRepository);
  const activate = new ActivatePolicy(kernel, policyRepository);
  const admin = (tenant: TestTenant): { v: 1; caller: Caller } => requestBy(callerOf(tenant.tenantId));
  return {
    ...kernel,
    engine,
    tenancy,
    changes,
    policyRepository,
    put,
    activate,
    asAdmin: admin,
    show: new ShowPolicies(tenancy, policyRepository),
    putSet: async (tenant: TestTenant, document: PolicySetSource): Promise<PolicyPutReply> =>
      await put.run({ ...admin(tenant), document: { ...document } }),
    /** Stores a set and puts it in force. */
    install: async (tenant: TestTenant, document: PolicySetSource): Promise<PolicyActivation> => {
      const { policy, problems } = await put.run({ ...admin(tenant), document: { ...document } });
      if (policy === null) throw new Error(JSON.stringify(problems));
      return await activate.run({ ...admin(tenant), policy: policy.policy_hash, if_active: null, note: null });
    },
    /** Another replica: it shares nothing with the first but the database. */
    newReplica: (): Admit => {
      const policies = new StoredPolicySets(engine, kernel.tenants);
      return new Admit(
        { ...kernel.sources, policies, memory: new FactCache(() => performance.now()) },
        new Judge(policies, new Trees(kernel.blobs)),
        kernel.decisions,
        kernel,
      );
    },
    close: async () => {
      await tenancy.close();
      await kernel.close();
    },
  };
}
export type PolicyKernel = Awaited<ReturnType<typeof openPolicyKernel>> & TestKernel;

/** A set that permits everything except what the rules forbid. */
export const setOf = (name: string, cedar = '', more: Partial<PolicySetSource> = {}): PolicySetSource => ({
  v: 1,
  name,
  cedar: `@id("${name}.all") @reason("everything is permitted") permit (principal, action, resource);\n${cedar}`,
  ...more,
});
