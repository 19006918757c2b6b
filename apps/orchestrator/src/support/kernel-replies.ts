// SPDX-License-Identifier: Apache-2.0
import {
  AgentView, ApprovalEffect, ApprovalView, Backtest, BundleSealed, CliToolView, ContainerLogs, ContainerView, DelegationView, EgressRequestPage, ErasurePlan, ErasureView, FreezeView, idSchema, KeptOutput, opened, OperationExplanation, OperationView, PolicyActivation, PolicyDiff, PolicyPage, PolicyPut, PolicySchemaView, PolicySetWhole, PolicyTemplateList, RegistrarKeyView, ResourceView, RetentionView, SandboxPut, SandboxView, SandboxWhole, SecretView, Simulation, SnapshotView, TenantLimitsView, ToolsApplied,
  WorkspaceLimits, WorkspaceView, type KernelVerb,
} from '@writ/contract';
import { Type, type Static, type TSchema } from 'typebox';
import { listOf, TokenView } from '../http/views.ts';

const pageOf = <T extends TSchema>(item: T) => opened(listOf(item));
const operation = opened(OperationView);
const token = opened(TokenView);
const workspace = opened(WorkspaceView);
const agent = opened(AgentView);
const freeze = opened(FreezeView);

/** What the kernel answers to each verb. */
export const KERNEL_REPLIES = {
  'operation.read': operation,
  'operation.list': pageOf(OperationView),
  'operation.cancel': operation,
  'operation.resolve': operation,
  'approval.list': pageOf(ApprovalView),
  'approval.read': opened(ApprovalView),
  'approval.decide': operation,
  'approval.edit': operation,
  'approval.give': operation,
  'value.key': Type.Object({ public_key: Type.String() }),
  'approval.effect': opened(ApprovalEffect),
  'token.issue': token,
  'token.attenuate': token,
  'token.spawn': token,
  'token.read': token,
  'token.list': pageOf(TokenView),
  'token.revoke': token,
  'agent.create': agent,
  'agent.read': agent,
  'agent.list': pageOf(AgentView),
  'workspace.create': workspace,
  'workspace.read': workspace,
  'workspace.list': pageOf(WorkspaceView),
  'workspace.change': workspace,
  'workspace.import': workspace,
  'workspace.restore': workspace,
  'workspace.limits.read': opened(WorkspaceLimits),
  'workspace.limits.set': opened(WorkspaceLimits),
  'workspace.snapshots': pageOf(SnapshotView),
  'workspace.snapshot': Type.Object({ snapshot_id: Type.String() }),
  'tenant.limits.read': opened(TenantLimitsView),
  'tenant.limits.set': opened(TenantLimitsView),
  'delegation.create': opened(DelegationView),
  'delegation.revoke': opened(DelegationView),
  'delegation.list': pageOf(DelegationView),
  'erasure.begin': opened(ErasureView),
  'erasure.plan': opened(ErasurePlan),
  'erasure.read': opened(ErasureView),
  'erasure.list': pageOf(ErasureView),
  'retention.read': opened(RetentionView),
  'retention.set': opened(RetentionView),
  'freeze.place': freeze,
  'freeze.lift': freeze,
  'freeze.read': freeze,
  'freeze.list': pageOf(FreezeView),
  'resource.set': opened(ResourceView),
  'resource.list': pageOf(ResourceView),
  'container.list': pageOf(ContainerView),
  'container.logs': opened(ContainerLogs),
  'container.kill': opened(ContainerView),
  'sandbox.put': opened(SandboxPut),
  'sandbox.sign': opened(SandboxWhole),
  'sandbox.list': pageOf(SandboxView),
  'sandbox.read': opened(SandboxWhole),
  'sandbox.remove': Type.Object({ removed: Type.String() }),
  'registrar.add': opened(RegistrarKeyView),
  'registrar.list': pageOf(RegistrarKeyView),
  'registrar.end': opened(RegistrarKeyView),
  'secret.set': opened(SecretView),
  'secret.list': pageOf(SecretView),
  'secret.remove': opened(SecretView),
  'policy.put': opened(PolicyPut),
  'policy.list': opened(PolicyPage),
  'policy.read': opened(PolicySetWhole),
  'policy.diff': opened(PolicyDiff),
  'policy.activate': opened(PolicyActivation),
  'policy.rollback': opened(PolicyActivation),
  'policy.activations': pageOf(PolicyActivation),
  'policy.schema': opened(PolicySchemaView),
  'policy.templates': opened(PolicyTemplateList),
  'policy.simulate': opened(Simulation),
  'policy.backtest': opened(Backtest),
  'bundle.seal': opened(BundleSealed),
  'tool.apply': opened(ToolsApplied),
  'tool.list': pageOf(CliToolView),
  'tool.remove': Type.Object({ removed: Type.String() }),
  'operation.requests': opened(EgressRequestPage),
  'operation.output': opened(KeptOutput),
  'operation.explain': opened(OperationExplanation),
  'change.record': Type.Object({ recorded: idSchema('record') }),
} as const satisfies Record<KernelVerb, TSchema>;
export type KernelReply<V extends KernelVerb> = Static<(typeof KERNEL_REPLIES)[V]>;

export const AdmitReply = operation;
export const TenantCreateReply = Type.Object({ tenant_id: idSchema('tenant') });
