// SPDX-License-Identifier: Apache-2.0
import { APPROVAL_GROUPS } from './approvals/groups.ts';
import type { Group } from './command-group.ts';
import { STATUS_GROUPS } from './status/groups.ts';

export type { Group } from './command-group.ts';

/**
 * The commands, in the order of the help. A thing is named in the singular: `writ token create`. Its verbs are `list`,
 * `get`, `create`, `update` and `delete` where these fit; `verbs.ts` has the older spellings.
 */
export const GROUPS: readonly Group[] = [
  { name: 'call', summary: 'call a tool', load: async () => (await import('./call/call.ts')).callCommand },
  {
    name: 'chat',
    summary: 'work with an agent, and decide on held calls',
    load: async () => (await import('./chat/chat.ts')).chatCommand,
  },
  {
    name: 'mcp',
    summary: 'tools for clients of the Model Context Protocol, on standard input and output',
    load: async () => (await import('./mcp/mcp.ts')).mcpCommand,
  },
  {
    name: 'mcp-server',
    plural: 'mcp-servers',
    summary: 'MCP servers whose tools agents call through Writ',
    load: async () => (await import('./mcp-servers/mcp-servers.ts')).mcpServerCommand,
  },
  {
    name: 'audio',
    summary: 'recordings of audio devices',
    load: async () => (await import('./audio/audio.ts')).audioCommand,
  },
  {
    name: 'tool',
    plural: 'tools',
    summary: 'the tools that exist',
    load: async () => (await import('./tools/tools.ts')).toolsCommand,
  },
  {
    name: 'operation',
    plural: 'operations',
    summary: 'calls and their outcomes',
    load: async () => (await import('./operations/operations.ts')).operationsCommand,
  },
  {
    name: 'policy',
    plural: 'policies',
    summary: 'policy sets',
    load: async () => (await import('./policies/policies.ts')).policyCommand,
  },
  ...APPROVAL_GROUPS,
  { name: 'risk', summary: 'the risk of a command', load: async () => (await import('./risk/risk.ts')).riskCommand },
  {
    name: 'mk8',
    summary: 'scripts of mk8.shell, checked before they run',
    load: async () => (await import('./mk8/mk8.ts')).mk8Command,
  },
  {
    name: 'dialect',
    plural: 'dialects',
    summary: 'tool calls in the formats of models',
    load: async () => (await import('./dialects/dialects.ts')).dialectCommand,
  },
  {
    name: 'turn',
    summary: "run the calls in a model's output, and print the messages for it",
    load: async () => (await import('./turn/turn.ts')).turnCommand,
  },
  {
    name: 'event',
    plural: 'events',
    summary: 'changes of operations as they happen',
    load: async () => (await import('./events/events.ts')).eventsCommand,
  },
  {
    name: 'job',
    plural: 'jobs',
    summary: 'scheduled tasks of agents',
    load: async () => (await import('./jobs/jobs.ts')).jobCommand,
  },
  {
    name: 'session',
    plural: 'sessions',
    summary: 'conversations of agents',
    load: async () => (await import('./runs/sessions.ts')).sessionCommand,
  },
  {
    name: 'run',
    plural: 'runs',
    summary: "runs of agents' tasks, live or replayed under another policy",
    load: async () => (await import('./runs/runs.ts')).runCommand,
  },
  {
    name: 'webhook',
    plural: 'webhooks',
    summary: 'notifications of approvals and ambiguous calls',
    load: async () => (await import('./webhooks/webhooks.ts')).webhooksCommand,
  },
  {
    name: 'receipt',
    plural: 'receipts',
    summary: 'the receipt of an operation',
    load: async () => (await import('./receipt/receipt.ts')).receiptCommand,
  },
  {
    name: 'verify',
    summary: 'verify receipts offline',
    load: async () => (await import('./verify/verify.ts')).verifyCommand,
  },
  {
    name: 'log',
    summary: 'the log of all decisions, with verification',
    load: async () => (await import('./log/log.ts')).logCommand,
  },
  {
    name: 'export',
    summary: 'records for other systems',
    load: async () => (await import('./export/export.ts')).exportCommand,
  },
  {
    name: 'record',
    plural: 'records',
    summary: 'search records',
    load: async () => (await import('./records/records.ts')).recordsCommand,
  },
  {
    name: 'witness',
    summary: 'cosign checkpoints of logs, as a witness',
    load: async () => (await import('./witness/witness.ts')).witnessCommand,
  },
  {
    name: 'workspace',
    plural: 'workspaces',
    summary: 'files that agents work on',
    load: async () => (await import('./workspaces/workspaces.ts')).workspaceCommand,
  },
  {
    name: 'usage',
    summary: 'tokens and costs of the runs of agents, and calls by day',
    load: async () => (await import('./usage/usage.ts')).usageCommand,
  },
  {
    name: 'resource',
    plural: 'resources',
    summary: 'resources, and which agents may use them',
    load: async () => (await import('./resources/resources.ts')).resourceCommand,
  },
  {
    name: 'external-version',
    plural: 'external-versions',
    summary: 'versions of external things that calls depend on',
    load: async () => (await import('./external-versions/external-version.ts')).externalVersionCommand,
  },
  {
    name: 'token',
    plural: 'tokens',
    summary: 'capability tokens of agents',
    load: async () => (await import('./tokens/tokens.ts')).tokenCommand,
  },
  {
    name: 'secret',
    plural: 'secrets',
    summary: 'secret values that calls use by name',
    load: async () => (await import('./secrets/secrets.ts')).secretCommand,
  },
  {
    name: 'sandbox',
    plural: 'sandboxes',
    summary: 'sandboxes for scripts of mk8.shell',
    load: async () => (await import('./sandboxes/sandboxes.ts')).sandboxCommand,
  },
  {
    name: 'image',
    plural: 'images',
    summary: 'images that commands run in',
    load: async () => (await import('./images/images.ts')).imageCommand,
  },
  {
    name: 'profile',
    plural: 'profiles',
    summary: 'upper limits for raw commands',
    load: async () => (await import('./profiles/profiles.ts')).profileCommand,
  },
  {
    name: 'skill',
    plural: 'skills',
    summary: 'folders of guidance that agents read',
    load: async () => (await import('./skills/skills.ts')).skillCommand,
  },
  {
    name: 'container',
    plural: 'containers',
    summary: 'containers of running calls and sessions',
    load: async () => (await import('./containers/containers.ts')).containerCommand,
  },
  {
    name: 'agent',
    plural: 'agents',
    summary: 'the identities on whose behalf tools are called',
    load: async () => (await import('./agents/agents.ts')).agentsCommand,
  },
  {
    name: 'key',
    plural: 'keys',
    summary: 'API keys, and the public keys that verify receipts',
    load: async () => (await import('./keys/keys.ts')).keysCommand,
  },
  {
    name: 'whoami',
    summary: 'who the API takes you for',
    load: async () => (await import('./whoami/whoami.ts')).whoamiCommand,
  },
  {
    name: 'member',
    plural: 'members',
    summary: 'people who signed in, and service accounts',
    load: async () => (await import('./members/members.ts')).memberCommand,
  },
  {
    name: 'invitation',
    plural: 'invitations',
    summary: 'people who are asked to become members',
    load: async () => (await import('./invitations/invitations.ts')).invitationCommand,
  },
  {
    name: 'identity-provider',
    plural: 'identity-providers',
    summary: 'OAuth issuers whose access tokens are accepted',
    load: async () => (await import('./identity-providers/identity-providers.ts')).identityProvidersCommand,
  },
  {
    name: 'person',
    plural: 'persons',
    summary: 'pseudonyms of people in records and rules',
    load: async () => (await import('./identity-providers/persons.ts')).personsCommand,
  },
  {
    name: 'signing-key',
    plural: 'signing-keys',
    summary: 'the keys that sign permits, records and checkpoints, in their files',
    load: async () => (await import('./signing-keys/signing-keys.ts')).signingKeysCommand,
  },
  { name: 'freeze', summary: 'emergency stop', load: async () => (await import('./freezes/freezes.ts')).freezeCommand },
  {
    name: 'unfreeze',
    summary: 'lift an emergency stop',
    load: async () => (await import('./freezes/freezes.ts')).unfreezeCommand,
  },
  {
    name: 'erase',
    summary: 'erase the content of calls',
    load: async () => (await import('./erasures/erase.ts')).eraseCommand,
  },
  {
    name: 'retention',
    summary: 'how long contents are kept',
    load: async () => (await import('./erasures/retention.ts')).retentionCommand,
  },
  {
    name: 'settings',
    summary: 'which paths calls may reach, and how much output commands return',
    load: async () => (await import('./settings/settings.ts')).settingsCommand,
  },
  {
    name: 'budget',
    plural: 'budgets',
    summary: 'budgets per day and month, and what is used of them',
    load: async () => (await import('./budgets/budgets.ts')).budgetCommand,
  },
  {
    name: 'tenant',
    plural: 'tenants',
    summary: 'tenants, isolated from each other',
    load: async () => (await import('./tenants/tenants.ts')).tenantCommand,
  },
  {
    name: 'login',
    summary: 'sign in as a person, in a browser',
    load: async () => (await import('./login/login.ts')).loginCommand,
  },
  { name: 'logout', summary: 'end your session', load: async () => (await import('./login/logout.ts')).logoutCommand },
  ...STATUS_GROUPS,
  {
    name: 'context',
    plural: 'contexts',
    summary: 'servers that this program knows, with keys and defaults',
    load: async () => (await import('./contexts/contexts.ts')).contextCommand,
  },
  {
    name: 'completion',
    summary: 'completion for bash, zsh and fish',
    load: async () => (await import('./completion/completion.ts')).completionCommand,
  },
  {
    name: '__complete',
    summary: 'candidates for the last word',
    hidden: true,
    load: async () => (await import('./completion/completion.ts')).candidatesCommand,
  },
];
