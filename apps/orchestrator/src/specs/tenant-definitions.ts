// SPDX-License-Identifier: Apache-2.0
import type { ContainerView, McpConnectionView, McpServerView } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import type { FakeKernelState } from './fake-kernel-state.ts';
import { registrarKeyOf } from './fake-views.ts';

/** A container, and one definition of each kind that a tenant names. Returns their ids by the names of parameters. */
export function keepDefinitions(
  kernel: FakeKernelState,
  {
    tenantId,
    agentId,
    workspace_id,
  }: { readonly tenantId: string; readonly agentId: string; readonly workspace_id: string },
) {
  const container_id = sha256Hex(Buffer.from(`container of ${tenantId}`)).slice(0, 32);
  kernel.keep(tenantId, container_id, 'container', {
    container_id,
    kind: 'session',
    tenant_id: tenantId,
    agent_id: agentId,
    workspace_id,
    session_id: null,
    resource_id: null,
    operation_id: null,
    tool_id: 'shell.session',
    executor_id: newId('executor'),
    image_digest: null,
    created_at: 1,
  } satisfies ContainerView);
  const sandbox = `of-${tenantId}`;
  kernel.keep(tenantId, sandbox, 'sandbox', {
    name: sandbox,
    workspace_id,
    definition_digest: '8'.repeat(64),
    keyid: null,
    signed_at: null,
    updated_by: 'spec',
    created_at: 1,
    updated_at: 1,
    tenant_id: tenantId,
    definition: { workspace_id },
    environment: null,
    digest: null,
    problem: 'nobody has signed it',
  });
  const imageName = `image-of-${tenantId}`;
  kernel.keep(tenantId, imageName, 'image', {
    image_id: newId('image'),
    name: imageName,
    source: { digest: `sha256:${'6'.repeat(64)}` },
    digest: '6'.repeat(64),
    tools: [],
    state: 'ready',
    image_digest: `sha256:${'6'.repeat(64)}`,
    problem: null,
    created_by: 'spec',
    created_at: 1,
    updated_at: 1,
  });
  const mcp_server = `m${tenantId.slice(-20)}`;
  kernel.keep(tenantId, mcp_server, 'mcp_server', {
    resource_id: newId('resource'),
    name: mcp_server,
    transport: 'http' as const,
    url: 'https://mcp.example.org/mcp',
    command: null,
    about: null,
    checked_at: null,
    due_at: 1,
    problem: null,
    skipped: [],
    tools: { new: 1, accepted: 0, changed: 0, gone: 0, refused: 0 },
  } satisfies McpServerView);
  const profile = `profile-of-${tenantId}`;
  kernel.keep(tenantId, profile, 'profile', {
    name: profile,
    definition: {
      shells: ['Bash'],
      workspace_id: null,
      environment: {},
      net: [],
      limits: { wall_ms: 1_000, memory_bytes: 64 * 1024 * 1024 },
    },
    digest: '7'.repeat(64),
    created_by: 'spec',
    created_at: 1,
  });
  const skill = `skill-of-${tenantId}`.toLowerCase().replaceAll('_', '-');
  kernel.keep(tenantId, skill, 'skill', {
    name: skill,
    description: 'how to release',
    digest: '9'.repeat(64),
    bytes: 5,
    updated_by: 'spec',
    updated_at: 1,
    files: [{ path: 'SKILL.md', sha256: '9'.repeat(64), size: 5 }],
    versions: [{ digest: '9'.repeat(64), bytes: 5, created_by: 'spec', created_at: 1 }],
  });
  const keyid = sha256Hex(Buffer.from(`registrar of ${tenantId}`)).slice(0, 43);
  kernel.keep(tenantId, keyid, 'registrar', registrarKeyOf(keyid));
  const connection_id = newId('connection');
  kernel.keep(tenantId, connection_id, 'mcp_connection', {
    connection_id,
    server: mcp_server,
    state: 'connected',
    own: true,
    person: null,
    lists: false,
    scopes: ['issues:read'],
    issuer: 'https://login.example.org',
    problem: null,
    created_at: 1,
    expires_at: null,
    connected_at: 2,
    used_at: null,
    ended_at: null,
  } satisfies McpConnectionView);
  return { connection_id, sandbox, profile, image: imageName, mcp_server, skill, keyid, container_id };
}
