// SPDX-License-Identifier: Apache-2.0
import type {
  ImageView,
  McpServerToolView,
  McpServerView,
  ApproverGroupView,
  ProfileView,
  SandboxDetails,
  SkillDetails,
  TenantToolView,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { FakeKernelState } from './fake-kernel-state.ts';
import { approverGroupOf, registrarKeyOf } from './fake-views.ts';

/** A tool that nobody has decided on. */
const mcpToolOf = (server: string): McpServerToolView => ({
  server,
  remote_name: 'look',
  tool_id: `mcp.${server}.look`,
  state: 'new',
  seen: { digest: '5'.repeat(64), definition: { name: 'look', inputSchema: { type: 'object' } } },
  accepted: null,
  problems: [],
  suggested: 'write',
  category: null,
  category_then: 'write',
  seen_at: 1,
  decided_by: null,
  decided_at: null,
});

/** Handlers for a tenant's registrations: tools, sandboxes, skills, profiles, keys. */
export function answerRegistries(kernel: FakeKernelState): void {
  const { handlers } = kernel;
  handlers.set('tool.apply', () => ({ valid: true, problems: [], tools: [] }));
  handlers.set('tool.remove', (caller, { tool_id }) => ({
    removed: (kernel.find(caller, tool_id) as TenantToolView).tool.tool_id,
  }));
  handlers.set('tool.list', (caller, { tool_id }) => ({
    items: (kernel.all(caller, 'tool.list') as TenantToolView[]).filter(
      ({ tool }) => tool_id === null || tool.tool_id === tool_id,
    ),
    next_cursor: null,
  }));
  handlers.set('sandbox.list', (caller) => ({
    items: (kernel.all(caller, 'sandbox.list') as SandboxDetails[]).map(
      ({ definition: _d, environment: _e, digest: _g, problem: _p, tenant_id: _t, ...view }) => view,
    ),
    next_cursor: null,
  }));
  handlers.set('sandbox.put', () => ({ valid: true, problems: [], sandbox: null }));
  handlers.set('sandbox.remove', (caller, { name }) => ({
    removed: (kernel.find(caller, name) as SandboxDetails).name,
  }));
  handlers.set('skill.put', () => ({ valid: true, problems: [], change: 'added', skill: null }));
  handlers.set('skill.list', (caller) => ({
    items: (kernel.all(caller, 'skill.list') as SkillDetails[]).map(({ versions: _v, files, ...view }) => ({
      ...view,
      files: files.length,
    })),
    next_cursor: null,
  }));
  handlers.set('skill.remove', (caller, { name }) => ({ removed: (kernel.find(caller, name) as SkillDetails).name }));
  handlers.set('image.create', (caller) => (kernel.all(caller, 'image.list') as ImageView[])[0]);
  handlers.set('image.log', (caller, { name }) => ({ state: (kernel.find(caller, name) as ImageView).state, log: '' }));
  handlers.set('image.remove', (caller, { name }) => ({ removed: (kernel.find(caller, name) as ImageView).name }));
  handlers.set('mcp_server.tools', (caller, { name }) => {
    const { name: server } = kernel.find(caller, name) as McpServerView;
    return { items: [mcpToolOf(server)], next_cursor: null };
  });
  handlers.set('mcp_server.find_tool', () => ({ tool: null }));
  handlers.set('mcp_server.definitions', () => ({ items: [], rest: [] }));
  handlers.set('mcp_connection.ask', (caller, { server }) => {
    kernel.find(caller, server);
    return { connection_id: newId('connection'), handle: 'h'.repeat(43), expires_at: 1 };
  });
  handlers.set('mcp_connection.list', (caller, { server }) => {
    kernel.find(caller, server);
    return { items: kernel.all(caller, 'mcp_connection.list'), next_cursor: null };
  });
  for (const [verb, state] of [
    ['mcp_server.accept', 'accepted'],
    ['mcp_server.refuse', 'refused'],
  ] as const)
    handlers.set(verb, (caller, { name }) => {
      const { remote_name, tool_id } = mcpToolOf((kernel.find(caller, name) as McpServerView).name);
      return { tools: [{ remote_name, tool_id, state }] };
    });
  handlers.set('profile.create', () => ({ valid: true, problems: [], profile: null }));
  handlers.set('approver_group.put', (_caller, { name, members }) =>
    approverGroupOf(name as string, members as string[]),
  );
  handlers.set('approver_group.remove', (caller, { name }) => ({
    removed: (kernel.find(caller, name) as ApproverGroupView).name,
  }));
  handlers.set('profile.remove', (caller, { name }) => ({ removed: (kernel.find(caller, name) as ProfileView).name }));
  handlers.set('registrar.add', () => registrarKeyOf('0'.repeat(43)));
}
