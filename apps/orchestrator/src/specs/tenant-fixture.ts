// SPDX-License-Identifier: Apache-2.0
import type { DeviceId } from '@writ/audio';
import { TENANT_DEFAULTS, type ProposedCall, type Receipt, type ResourceView, type TenantLimits } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { HpkeBox } from '@writ/sealing';
import { encodeNode, snapshotIdOf } from '@writ/workspace';
import {
  approvalOf,
  audioDeviceOf,
  budgetOf,
  approverGroupOf,
  delegationOf,
  pastDecisionOf,
  erasureOf,
  freezeOf,
  POLICY,
  resourceGrantOf,
  uploadOf,
  viewOf,
} from './fake-views.ts';
import { keepDefinitions } from './tenant-definitions.ts';
import { keepIdentities } from './tenant-identities.ts';
import { sampleRecord } from './sample-record.ts';
import type { TestApi, TestTenant } from './test-api.ts';

/** A receipt that is valid only in form: the API passes on the ledger's receipts unchanged. */
export const RECEIPT: Receipt = {
  media_type: 'application/vnd.writ.receipt.v1+json',
  envelope: { payloadType: 'application/vnd.in-toto+json', payload: 'e30=', signatures: [{ keyid: 'k', sig: 'AAAA' }] },
  inclusion: {
    leaf_index: 0,
    tree_size: 1,
    hashes: [],
    checkpoint: `writ.local/log\n1\n${'A'.repeat(43)}=\n\n— writ.local AAAAAAA=\n`,
  },
};

export const callOf = (tenant: TestTenant): ProposedCall => ({
  v: 1,
  operation_id: newId('operation'),
  tenant_id: tenant.tenantId,
  agent_id: tenant.agentId,
  proposed_by: newId('apiKey'),
  tool_id: 'fs.read',
  args: {},
  args_ref: null,
  capability_token_id: 'cap_x',
  workspace_id: 'wsp_x',
  session_id: null,
  session_mode: 'interactive',
  max_autonomy: null,
  task_class: 'general',
  idempotency_key: null,
  precondition_refs: [],
  provenance: {},
  deadline: null,
  dry_run: false,
});

/** The usage of an empty tenant without a quota. */
export const UNBOUND = {
  files_max: null,
  bytes_max: null,
  files: 0,
  bytes: 0,
  outputs_bytes_max: null,
  outputs_bytes: 0,
};
export const limitsOf = (tenantId: string): TenantLimits => ({
  tenant_id: tenantId as TenantLimits['tenant_id'],
  requests_per_second: null,
  request_burst: null,
  ...TENANT_DEFAULTS,
  changed_at: null,
});

/** A tool of a tenant. */
const TOOL = {
  v: 1,
  version: 1,
  description: 'Looks.',
  category: 'read',
  cmd: 'ls',
  args: ['{{path}}'],
  parameters: { path: { type: 'string' } },
  optional_args: [],
  env: [{ name: 'LEVEL', parts: [{ text: 'hidden' }] }],
  limits: { wall_ms: 1_000 },
} as const;
export const GRANT = {
  tools: ['fs.*'],
  fs: [],
  net: [],
  secrets: [],
  budgets: {},
  not_before: 0,
  expires_at: 9_000_000_000_000,
};

/** Creates one object of each kind for a tenant. The ids are named like path parameters. */
export async function createFixture(api: TestApi, tenant: TestTenant) {
  const { kernel, blobs, ledger, keys, hooks, channels, runs, jobs, audio } = api;
  const { tenantId, agentId } = tenant;
  const file = await blobs.put(tenantId, Buffer.from('hello\n'));
  const src = encodeNode([{ kind: 'file', mode: '755', name: 'a.txt', ...file }]);
  const link = await blobs.put(tenantId, Buffer.from('src/a.txt'));
  const root = encodeNode([
    { kind: 'dir', name: 'src', sha256: src.sha256, size: 0 },
    { kind: 'symlink', name: 'link', ...link },
  ]);
  await blobs.putMany(tenantId, [src.bytes, root.bytes]);
  const snapshot_id = snapshotIdOf(root.sha256);
  const workspace_id = newId('workspace');
  kernel.keep(tenantId, workspace_id, 'workspace', {
    workspace_id,
    name: 'w',
    head_snapshot_id: snapshot_id,
    created_at: 1,
    updated_at: 1,
  });
  const operation = viewOf(callOf(tenant), 'committed');
  const { operation_id } = kernel.keep(tenantId, operation.operation_id, 'operation', operation);
  for (const phase of ['decision', 'outcome']) ledger.receipts.set(`${tenantId}/${operation_id}/${phase}`, RECEIPT);
  for (const stream of ['stdout', 'stderr'])
    kernel.keep(tenantId, `${stream} of ${operation.operation_id}`, 'output', {
      v: 1,
      ref: { sha256: file.sha256, size: file.size, cut: false },
      expires_at: 1,
    });
  ledger.checkpoints.set(tenantId, RECEIPT.inclusion.checkpoint);
  const approval = approvalOf(operation);
  const { approval_id } = kernel.keep(tenantId, approval.approval_id, 'approval', approval);
  kernel.handlers.set('approval.decide', (caller, request) => {
    const { operation_id: id } = kernel.find(caller, request['approval_id']) as { operation_id: string };
    return kernel.find(caller, id);
  });
  kernel.handlers.set('approval.alike', (caller, request) => {
    kernel.find(caller, request['approval_id']);
    return { items: [pastDecisionOf(operation)] };
  });
  kernel.handlers.set('approval.edit', (caller, request) => {
    const { operation_id: id } = kernel.find(caller, request['approval_id']) as { operation_id: string };
    return kernel.find(caller, id);
  });
  kernel.handlers.set('approval.give', (caller, request) => {
    const { operation_id: id } = kernel.find(caller, request['approval_id']) as { operation_id: string };
    return kernel.find(caller, id);
  });
  kernel.handlers.set('value.key', async () => ({
    public_key: (await new HpkeBox(Buffer.alloc(32)).publicKey()).toString('base64'),
  }));
  kernel.handlers.set('approval.effect', (caller, request) => {
    kernel.find(caller, request['approval_id']);
    const { sha256, size } = file;
    const change = { path: 'src/a.txt', before: null, after: { kind: 'file', mode: '644', sha256, size } };
    return { effect_digest: '6'.repeat(64), delta: { v: 1, base: snapshot_id, changes: [change] }, delta_ref: null };
  });
  const capability_token_id = newId('token');
  kernel.keep(tenantId, capability_token_id, 'token', {
    v: 1,
    capability_token_id,
    tenant_id: tenantId,
    agent_id: agentId,
    parent_id: null,
    workspace_id: null,
    grant: GRANT,
    issuer: 'spec',
    created_at: 1,
    revoked_at: null,
    used: {},
    reserved: {},
    left: {},
    chain: [capability_token_id],
    revoked: false,
  });
  kernel.keep(tenantId, tenantId, 'limits', { ...limitsOf(tenantId), ...UNBOUND });
  const resource_id = newId('resource');
  kernel.keep(tenantId, resource_id, 'resource', audioDeviceOf(resource_id, agentId));
  await audio.open(tenantId, resource_id as DeviceId);
  kernel.handlers.set('audio_device.upload', (caller, request) =>
    uploadOf(kernel.find(caller, request['resource_id']) as ResourceView),
  );
  const resource_grant_id = newId('resourceGrant');
  kernel.keep(tenantId, resource_grant_id, 'resource_grant', resourceGrantOf(resource_grant_id));
  const freeze_id = newId('freeze');
  kernel.keep(tenantId, freeze_id, 'freeze', freezeOf(freeze_id));
  const erasure_id = newId('erasure');
  kernel.keep(tenantId, erasure_id, 'erasure', erasureOf(erasure_id));
  const delegation_id = newId('delegation');
  kernel.keep(tenantId, delegation_id, 'delegation', delegationOf(delegation_id));
  const budget_id = newId('budget');
  kernel.keep(tenantId, budget_id, 'budget', budgetOf(budget_id));
  const group = `group-of-${tenantId}`;
  kernel.keep(tenantId, group, 'approver_group', approverGroupOf(group));
  const policy = sha256Hex(Buffer.from(tenantId));
  kernel.keep(tenantId, policy, 'policy', { ...POLICY, policy_hash: policy, active: false, document: { v: 1 } });
  // Each log is longer than the one before it: its last tile and bundle are its own.
  const records = ledger.logs.size + 1;
  ledger.logs.set(
    tenantId,
    Array.from({ length: records }, () => sampleRecord(tenantId)),
  );
  // The name differs per tenant, because the fake kernel stores objects by name only.
  const name = `S${tenantId.toUpperCase()}`;
  kernel.keep(tenantId, name, 'secret', { name, version: 1, note: null, created_by: 'spec', created_at: 1 });
  const tool_id = `of_${tenantId}`;
  kernel.keep(tenantId, tool_id, 'tool', {
    tool: { ...TOOL, tool_id },
    definition_digest: '7'.repeat(64),
    applied_by: 'spec',
    applied_at: 1,
  });
  const { api_key_id } = await keys.create(tenantId, {
    api_key_id: newId('apiKey'),
    name: 'spare',
    role: 'auditor',
    agent_id: null,
    hash: Buffer.alloc(32, tenantId),
    created_by: 'spec',
  });
  // The delegate of the sample delegation.
  await keys.create(tenantId, {
    api_key_id: newId('apiKey'),
    name: 'bob',
    role: 'operator',
    agent_id: null,
    principal: 'bob',
    hash: Buffer.alloc(32, `bob of ${tenantId}`),
    created_by: 'spec',
  });
  const { webhook_id } = await hooks.webhooks.create(
    tenantId,
    {
      webhook_id: newId('webhook'),
      name: 'w',
      url: 'https://example.com/',
      events: ['approval.pending'],
      secret: Buffer.alloc(60),
      created_by: api_key_id,
    },
    10,
  );
  const { channel_id } = await channels.channels.create(
    tenantId,
    {
      channel_id: newId('channel'),
      ...{ name: 'c', kind: 'slack', destination: 'C0123456789', api_url: 'https://slack.com/api' },
      ...{ settings: null, bot_token: Buffer.alloc(60), created_by: api_key_id },
    },
    10,
  );
  const delivery = await hooks.deliveries.add(tenantId, webhook_id, {
    message_id: newId('notice'),
    kind: 'approval.pending',
    body: '{}',
  });
  const { session_id } = await runs.sessions.create(
    tenantId,
    {
      session_id: newId('session'),
      name: null,
      agent_id: agentId,
      workspace_id,
      capability_token_id,
      dialect: 'native',
      model: 'recorded',
      forked_from: null,
      spawned_by: null,
      job_id: null,
      session_mode: 'interactive',
      scheduling_class: null,
      created_by: api_key_id,
      content: { system: null, base: [] },
    },
    10,
  );
  const run = await runs.sessions.queue(
    tenantId,
    {
      run_id: newId('run'),
      session_id,
      idempotency_key: null,
      input: 'do it',
      rounds_max: null,
      tokens_max: null,
      cost_max: null,
      created_by: api_key_id,
      role: 'admin',
      principal: null,
    },
    { runsMax: 5, unendedMax: 5 },
  );
  const run_token_id = newId('token');
  kernel.keep(tenantId, run_token_id, 'token', {
    ...(kernel.find({ tenant_id: tenantId, api_key_id, role: 'admin', agent_id: null }, capability_token_id) as object),
    capability_token_id: run_token_id,
    chain: [capability_token_id, run_token_id],
  });
  const { job_id } = await jobs.create(
    tenantId,
    {
      job_id: newId('job'),
      name: 'nightly',
      cron: '0 3 * * *',
      time_zone: 'UTC',
      agent_id: agentId,
      workspace_id,
      capability_token_id,
      run_token_id,
      tools: [],
      dialect: 'native',
      model: 'recorded',
      conversation: 'fresh',
      overlap: 'skip',
      missed: 'skip',
      scheduling_class: 'background',
      rounds_max: null,
      tokens_max: null,
      cost_max: null,
      content: { input: 'do it', system: null },
      by: api_key_id,
      principal: null,
      due_at: Date.now() + 3_600_000,
    },
    10,
  );
  const { provider, person_id, member_id, invitation_id, sign_in_id, device_code } = await keepIdentities(api, tenant);
  const definitions = keepDefinitions(kernel, { tenantId, agentId, workspace_id });
  return {
    provider,
    person_id,
    member_id,
    invitation_id,
    sign_in_id,
    device_code,
    job_id,
    session_id,
    run_id: run?.run_id ?? '',
    ...definitions,
    tool_id,
    name,
    delivery_id: delivery?.delivery_id ?? '',
    webhook_id,
    channel_id,
    agent_id: agentId,
    workspace_id,
    operation_id,
    approval_id,
    capability_token_id,
    api_key_id,
    freeze_id,
    resource_id,
    resource_grant_id,
    erasure_id,
    delegation_id,
    budget_id,
    group,
    tenant_id: tenantId,
    policy,
    path: 'src/a.txt',
    tile: `0/000.p/${String(records)}`,
    bundle: `000.p/${String(records)}`,
    leaf_index: String(records - 1),
    snapshot_id,
    file_sha256: file.sha256,
  };
}
export type Fixture = Awaited<ReturnType<typeof createFixture>>;
