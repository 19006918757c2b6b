// SPDX-License-Identifier: Apache-2.0
import { DEVICE_GRANT } from '../api/sign-in/device-flow.ts';
import { FORM_TYPE } from '../edge/requests/form.ts';
import { GRANT, type Fixture } from './tenant-fixture.ts';

/** One empty file `b.txt`, as `tar` writes it. */
const ARCHIVE = archiveOf('b.txt');
function archiveOf(name: string): string {
  const fields = [
    name.padEnd(100, '\0'),
    '000644 \0',
    '000000 \0',
    '000000 \0',
    '00000000000 ',
    '00000000000 ',
    ' '.repeat(8),
    '0',
    '\0'.repeat(100),
    'ustar\0',
    '00',
  ]
    .join('')
    .padEnd(512, '\0');
  const sum = [...Buffer.from(fields)]
    .reduce((all, byte) => all + byte, 0)
    .toString(8)
    .padStart(6, '0');
  return `${fields.slice(0, 148)}${sum}\0 ${fields.slice(156)}${'\0'.repeat(1024)}`;
}

const formOf = (fields: Record<string, string>) => ({
  text: new URLSearchParams(fields).toString(),
  headers: { 'content-type': FORM_TYPE },
});

/** The proof of a permit, valid only in form. */
const PROOF = {
  permit: { payloadType: 'x', payload: 'e30=', signatures: [{ keyid: 'k', sig: 'AAAA' }] },
  nonce: '0'.repeat(32),
};

/** A valid body and query of each route that needs them. */
export function sampleOf(
  operationId: string,
  has: Fixture,
): { body?: unknown; text?: string; headers?: Record<string, string>; query?: string } {
  const { agent_id, workspace_id, capability_token_id, snapshot_id } = has;
  switch (operationId) {
    case 'postMcp':
    case 'postMcpWithToken':
      return {
        body: { jsonrpc: '2.0', id: 1, method: 'ping' },
        headers: { accept: 'application/json, text/event-stream', 'writ-token': capability_token_id },
      };
    case 'issueAccessToken':
      return formOf({ grant_type: DEVICE_GRANT, client_id: 'cli', device_code: has.device_code });
    case 'createInvitation':
      return { body: { email: 'cleo@example.org', role: 'operator' } };
    case 'createDeviceAuthorization':
      return formOf({ client_id: 'cli', tenant: has.tenant_id });
    case 'createTenant':
    case 'createAgent':
    case 'createWorkspace':
      return { body: { name: 'one' } };
    case 'createApiKey':
      return { body: { name: 'one', role: 'agent', agent_id } };
    case 'proposeToolCall':
      return { body: { tool_id: 'fs.read', args: {}, agent_id, capability_token_id, workspace_id } };
    case 'runTurn':
      return {
        body: {
          dialect: 'blocks',
          output: '[TOOL_CALL:a] {"action":"fs.list"}',
          session_id: 'ses-1',
          turn_id: 't1',
          agent_id,
          capability_token_id,
          workspace_id,
        },
      };
    case 'readPrompt':
      return { query: `?dialect=blocks&capability_token_id=${capability_token_id}` };
    case 'issueToken':
      return { body: { agent_id, workspace_id, grant: GRANT } };
    case 'attenuateToken':
      return { body: { grant: GRANT } };
    case 'approve':
    case 'deny':
      return { body: { comment: 'so' } };
    case 'closeTenant':
      return { body: { reason: 'so' } };
    case 'setTenantLimits':
      return { body: { weight: 2 } };
    case 'setWorkspaceLimits':
      return { body: { files_max: 10 } };
    case 'delegateApproval':
      return { body: { to: 'bob', note: 'away', expires_at: 2 } };
    case 'erase':
      return { body: { operation_id: has.operation_id, reason_code: 'asked' } };
    case 'setCallSettings':
      return { body: { denied_paths: ['**/.ssh'] } };
    case 'setRetention':
      return { body: { payload_days: 30, output_days: null } };
    case 'placeFreeze':
      return { body: { scope: 'tenant', reason: 'so' } };
    case 'giveValue':
      return { body: { value: 'hunter2' } };
    case 'editApproval':
      return { body: { args: { path: 'b.txt' } } };
    case 'rotateApiKey':
    case 'rotateOwnApiKey':
      return { body: { overlap_ms: 3_600_000 } };
    case 'cancelOperation':
    case 'killContainer':
    case 'revokeToken':
    case 'liftFreeze':
      return { body: {} };
    case 'putSandbox':
      return { body: { name: 'build', workspace_id } };
    case 'putSkill':
      return {
        body: { files: [{ path: 'SKILL.md', content: '---\nname: release\ndescription: how to release\n---\n' }] },
      };
    case 'createImage':
      return { body: { name: 'tools', source: { recipe: { pip: [{ name: 'six', version: '1.16.0' }] } } } };
    case 'refreshMcpServer':
    case 'askMcpConnection':
    case 'askListingMcpConnection':
      return { body: {} };
    case 'acceptMcpServerTools':
    case 'refuseMcpServerTools':
      return { body: { tools: [{ name: 'look', digest: '5'.repeat(64) }] } };
    case 'putApproverGroup':
      return { body: { name: 'finance', members: ['ann', 'ben'] } };
    case 'createExecutionProfile':
      return { body: { name: 'ops', shells: ['Bash'], limits: { wall_ms: 1_000, memory_bytes: 64 * 1024 * 1024 } } };
    case 'signSandbox':
      return { body: { envelope: { payloadType: 'x', payload: 'e30=', signatures: [{ keyid: 'k', sig: 'AAAA' }] } } };
    case 'addRegistrarKey':
      return { body: { public_key: { kty: 'OKP', crv: 'Ed25519', x: '0'.repeat(43) } } };
    case 'retireRegistrarKey':
    case 'revokeRegistrarKey':
      return { body: {} };
    case 'takePermit':
      return { body: {} };
    case 'takeOwnPermit':
      return { body: { operation_id: has.operation_id } };
    case 'redeemPermit':
    case 'renewLease':
      return { body: PROOF };
    case 'reportFunction':
      return { body: { ...PROOF, outcome: { outcome: 'succeeded', result: {} } } };
    case 'applyTools':
      return { body: { tools: [{ name: 'look', description: 'Looks.', category: 'read', cmd: 'ls' }] } };
    case 'importOpenApi':
      return { body: { document: 'openapi: 3.1.0', options: { name: 'shop' } } };
    case 'createResource':
      return {
        body: {
          kind: 'search_engine',
          name: 'default',
          settings: { kind: 'searxng', url: 'https://searx.example.org' },
        },
      };
    case 'updateResource':
      return { body: { settings: {}, expected_version: 1 } };
    case 'setResourceGrant':
      return {
        body: { kind: 'search_engine', resource_id: null, right: 'use', agent_id: null, clearance: 'soft_gate' },
      };
    case 'putIdentityProvider':
    case 'putTenantIdentityProvider':
      return { body: { name: has.provider, issuer: `https://${has.provider}.example.org` } };
    case 'createServiceAccount':
      return { body: { name: 'bot' } };
    case 'changeMember':
      return { body: { state: 'suspended' } };
    case 'offboardMember':
      return { body: { reason: 'left' } };
    case 'linkIdentity':
      return { body: { provider: 'people', subject: 'ann-1' } };
    case 'denyTokens':
      return { body: { subject: 'ann-1' } };
    case 'findPerson':
      return { query: '?principal=ann' };
    case 'setSecret':
      return { body: { name: 'NPM_TOKEN', value: 'npm_0123456789' } };
    case 'setBudget':
      return { body: { subject: { kind: 'agent', id: agent_id }, period: 'day', measure: 'calls', limit: 1_000_000 } };
    case 'setExternalVersion':
      return { body: { ref: 'deployment:shop', version: 'v1', expected_version: null } };
    case 'resolveOperation':
      return { body: { outcome: 'committed', note: 'so' } };
    case 'exportBundle':
      return { query: '?since=0' };
    case 'createSession':
      return { body: { agent_id, workspace_id, capability_token_id, model: 'recorded' } };
    case 'startRun':
      return { body: { input: 'do it' } };
    case 'createJob':
    case 'changeJob':
      return {
        body: {
          name: 'nightly',
          cron: '0 3 * * *',
          workspace_id,
          capability_token_id,
          model: 'recorded',
          input: 'do it',
        },
      };
    case 'pauseJob':
    case 'resumeJob':
    case 'runJob':
    case 'cancelRun':
      return { body: {} };
    case 'forkRun':
      return { body: { after: 0 } };
    case 'followRun':
      return { query: '?for_ms=0' };
    case 'followEvents':
      return { query: '?for_ms=0' };
    case 'createChannel':
      return {
        body: { name: 'one', kind: 'slack', slack: { conversation: 'C0123456789', bot_token: 'xoxb-of-a-spec' } },
      };
    case 'changeChannel':
      return { body: { name: 'two', state: 'disabled' } };
    case 'createWebhook':
      return {
        body: { name: 'one', url: 'https://example.com/hooks', events: ['approval.pending', 'operation.ambiguous'] },
      };
    case 'changeWebhook':
      return { body: { name: 'two', url: 'https://example.com/hooks', events: ['approval.pending'], state: 'active' } };
    case 'rotateWebhookSecret':
    case 'pingWebhook':
    case 'redeliver':
      return { body: {} };
    case 'uploadFiles':
      return { body: { files: [{ path: 'b.txt', content: 'aGk=', encoding: 'base64' }] } };
    case 'uploadFile':
      return { text: 'content', headers: { 'content-type': 'application/octet-stream' } };
    case 'uploadAudioFrames':
      return { text: '', headers: { 'content-type': 'application/octet-stream' } };
    case 'simulatePolicy':
      return { body: { call: { agent_id, capability_token_id, workspace_id, tool_id: 'fs.read', args: {} } } };
    case 'backtestPolicy':
    case 'replayRun':
      return { body: {} };
    case 'putPolicy':
      return { body: { document: { v: 1 } } };
    case 'activatePolicy':
      return { body: { policy: has.policy } };
    case 'rollBackPolicy':
      return { body: {} };
    case 'diffPolicies':
      return { query: `?to=${has.policy}` };
    case 'importWorkspace':
      return { text: ARCHIVE, headers: { 'content-type': 'application/x-tar' } };
    case 'restoreWorkspace':
      return { body: { at: snapshot_id } };
    case 'readInclusion':
      return { query: '?leaf_index=0' };
    case 'readConsistency':
      return { query: '?from=0&to=1' };
    case 'readDiff':
    case 'readTextDiff':
      return { query: `?from=${snapshot_id}` };
    default:
      return {};
  }
}
