// SPDX-License-Identifier: Apache-2.0
import { visibleLine } from '../visible.ts';

/** The nouns of the command line, by the member of an answer that has the id. */
const NOUNS: Readonly<Record<string, string>> = {
  agent_id: 'agent',
  api_key_id: 'key',
  approval_id: 'approval',
  capability_token_id: 'token',
  connection_id: 'mcp-server-connection',
  container_id: 'container',
  delegation_id: 'delegation',
  erasure_id: 'erasure',
  budget_id: 'budget',
  freeze_id: 'freeze',
  invitation_id: 'invitation',
  job_id: 'job',
  operation_id: 'operation',
  person_id: 'person',
  provider_id: 'identity-provider',
  record_id: 'record',
  resource_grant_id: 'resource-grant',
  resource_id: 'resource',
  run_id: 'run',
  session_id: 'session',
  tenant_id: 'tenant',
  tool_id: 'tool',
  turn_id: 'turn',
  webhook_id: 'webhook',
  workspace_id: 'workspace',
};

/**
 * The names of an answer as `noun/id`, one for each item of a list; null where it has none. The first member with an id
 * is that of the thing itself: the API writes members that refer to other things after it.
 */
export function nameOf(noun: string, value: unknown): string[] | null {
  if (typeof value !== 'object' || value === null) return null;
  const { items } = value as { items?: unknown };
  if (!Array.isArray(items)) {
    const name = nameOfOne(noun, value);
    return name === null ? null : [name];
  }
  const names = items.map((item) => nameOfOne(noun, item));
  return names.includes(null) ? null : (names as string[]);
}

function nameOfOne(noun: string, value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const members = value as Readonly<Record<string, unknown>>;
  const id = Object.keys(members).find((member) => Object.hasOwn(NOUNS, member));
  if (id !== undefined && typeof members[id] === 'string') return `${NOUNS[id] ?? noun}/${visibleLine(members[id])}`;
  const { name, version, id: plain } = members;
  const text = typeof name === 'string' ? name : plain;
  if (typeof text !== 'string') return null;
  return visibleLine(`${noun}/${text}${noun === 'policy' && typeof version === 'number' ? `@${version}` : ''}`);
}
