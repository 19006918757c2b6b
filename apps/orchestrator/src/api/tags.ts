// SPDX-License-Identifier: Apache-2.0

/** What each group of routes is about, in the order of the document. */
export const TAGS: Readonly<Record<string, string>> = {
  'tool-calls':
    'An agent proposes a call of a tool. Writ decides on it, runs it in a disposable container, and answers when it has ended. A refusal is an answer with status 200: `Writ-Outcome` and `Writ-Fault` show it.',
  turns:
    "Takes the raw output of a model, runs the calls in it, and answers with messages in the format of the model's provider.",
  operations:
    'Every call that was proposed, with its state, its result and its receipt. An operation is never deleted; an erasure removes its contents.',
  approvals:
    'Calls that wait for a person, the effect that they would have, and the decision on it. Nobody approves their own call.',
  'capability-tokens': 'What an agent may do: tools, paths, hosts, secrets, budgets. A child token only narrows.',
  agents: 'The identities that propose calls.',
  workspaces: 'Files in versions. A call changes a workspace in one transaction or not at all.',
  policies: 'Sets of Cedar rules that decide on calls. A set is immutable; activating another one is recorded.',
  functions: "Runs a tool in a process of the tenant, under a permit of Writ: the worker's side of a call.",
  sessions: 'Conversations with a model that Writ drives itself, their runs, and what they cost.',
  jobs: 'Runs that start by the clock.',
  tools: 'The tools that calls may name: built in, declared as a command, imported from OpenAPI, or of an MCP server.',
  'MCP servers':
    'MCP servers whose tools calls may use. An administrator accepts each definition before it is in force.',
  mcp: 'The Model Context Protocol: agents that speak MCP call tools here, under the same rules.',
  skills: 'Instructions and files that a run of a session can read.',
  secrets: 'Values that calls may use without seeing them. A value is never read back.',
  resources: 'Calendars, mailboxes, stores, models and the like, which tools work with.',
  'resource-grants': 'Which agent may use which resource.',
  'audio-devices': 'Sources of audio, and the frames that they upload.',
  'external-versions': 'Versions of things outside of Writ, which calls can name as preconditions.',
  containers: 'Containers that run now, their output, and their end.',
  sandboxes: 'Signed descriptions of sandboxes for scripts of mk8.shell, and the keys of those who sign them.',
  images: "The tenant's own images of containers.",
  'execution-profiles': 'Limits and networks of raw commands.',
  budgets: 'Budgets of the tenant per day and month: calls, model tokens and costs.',
  'call-settings': 'Rules that apply to every call of the tenant, beside its policy.',
  freezes: 'Emergency stops: of a tenant, an agent or a tool. Only an administrator places and lifts them.',
  erasures: 'Removes contents for good, and says what was removed. Records and receipts stay valid.',
  events: 'Events of operations as they happen, as Server-Sent Events.',
  channels: 'Where people are asked for approvals beside the console, and see what became of them.',
  webhooks: 'Messages to a server of yours, signed by Standard Webhooks, with retries and redelivery.',
  records: 'The records of the audit log, as JSON.',
  exports: 'Records in bulk, and bundles that anybody can verify offline.',
  log: 'The transparency log (C2SP tlog-tiles): checkpoints, tiles, proofs. Verifying needs nothing else of Writ.',
  'api-keys': 'Keys of people, agents and workers, by role. A key is shown once, when it is made.',
  'identity-providers': 'OpenID Connect issuers whose access tokens count, and the people behind them.',
  members: 'The people and service accounts of a tenant: their roles, and who is suspended.',
  invitations: 'People who are asked to become members, each by a link that is good once.',
  'sign-in':
    'Sessions of people who signed in at an identity provider, in a browser or with a device code, and tokens.',
  tenants: 'Tenants and their limits; for the platform key alone.',
  system: 'Health, keys, and this document. They need no key.',
};
