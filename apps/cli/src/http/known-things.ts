// SPDX-License-Identifier: Apache-2.0
//
// What the API can list: for suggestions after a misspelt name, and for completion.
import { nearestName, type FaultCode } from '@writ/contract';
import { visibleLine } from '../visible.ts';
import type { KeyHolder } from './key-holders.ts';

/** A kind of thing, and where the API lists it. */
interface ThingKind {
  readonly path: string;
  /** the member with the id, or with the name of what has no id */
  readonly id: string;
  /** the member that a person may type for it by mistake, or reads beside it */
  readonly label?: string;
  /** whose key lists it where the local set-up has several */
  readonly holder: KeyHolder;
}

export const THINGS = {
  agent: { path: '/v1/agents', id: 'agent_id', label: 'name', holder: 'admin' },
  'approver-group': { path: '/v1/approver-groups', id: 'name', holder: 'admin' },
  approval: { path: '/v1/approvals', id: 'approval_id', label: 'tool_id', holder: 'operator' },
  container: { path: '/v1/containers', id: 'container_id', holder: 'operator' },
  budget: { path: '/v1/budgets', id: 'budget_id', holder: 'admin' },
  freeze: { path: '/v1/freezes', id: 'freeze_id', holder: 'operator' },
  image: { path: '/v1/images', id: 'name', holder: 'admin' },
  invitation: { path: '/v1/invitations', id: 'invitation_id', label: 'email', holder: 'admin' },
  job: { path: '/v1/jobs', id: 'job_id', label: 'name', holder: 'operator' },
  key: { path: '/v1/api-keys', id: 'api_key_id', label: 'name', holder: 'admin' },
  'mcp-server': { path: '/v1/mcp-servers', id: 'name', holder: 'admin' },
  model: { path: '/v1/models', id: 'name', holder: 'agent' },
  operation: { path: '/v1/operations', id: 'operation_id', label: 'tool_id', holder: 'admin' },
  policy: { path: '/v1/policies', id: 'name', holder: 'admin' },
  profile: { path: '/v1/execution-profiles', id: 'name', holder: 'admin' },
  resource: { path: '/v1/resources', id: 'resource_id', label: 'name', holder: 'admin' },
  sandbox: { path: '/v1/sandboxes', id: 'name', holder: 'admin' },
  secret: { path: '/v1/secrets', id: 'name', holder: 'admin' },
  session: { path: '/v1/sessions', id: 'session_id', label: 'name', holder: 'operator' },
  skill: { path: '/v1/skills', id: 'name', holder: 'admin' },
  token: { path: '/v1/capability-tokens', id: 'capability_token_id', holder: 'admin' },
  tool: { path: '/v1/tools', id: 'tool_id', label: 'description', holder: 'admin' },
  webhook: { path: '/v1/webhooks', id: 'webhook_id', label: 'url', holder: 'admin' },
  workspace: { path: '/v1/workspaces', id: 'workspace_id', label: 'name', holder: 'admin' },
} as const satisfies Readonly<Record<string, ThingKind>>;
export type Thing = keyof typeof THINGS;

export const isThing = (text: string): text is Thing => Object.hasOwn(THINGS, text);

/** A thing that a request names. */
export interface NamedThing {
  readonly thing: Thing;
  readonly name: string;
  /** the fault that says that it isn't there; `not_found` by default */
  readonly code?: FaultCode;
}

/** The thing that a path names, such as `/v1/agents/agt_…`; null where it names none that can be listed. */
export function thingInPath(path: string): NamedThing | null {
  const [version, collection, name] = (path.split('?')[0] ?? '').split('/').slice(1);
  if (name === undefined || name === '') return null;
  const found = Object.entries(THINGS).find(([, each]) => each.path === `/${version ?? ''}/${collection ?? ''}`);
  return found === undefined ? null : { thing: found[0] as Thing, name: decodeURIComponent(name) };
}

/** One that the API listed. */
export interface KnownThing {
  readonly id: string;
  readonly label: string | null;
}

/** Reads the things in an answer of the API, whatever its shape is. */
export function thingsIn(thing: Thing, answer: unknown): KnownThing[] {
  const { id, label }: ThingKind = THINGS[thing];
  const { items, shipped } = (answer ?? {}) as { items?: unknown; shipped?: unknown };
  return [items, shipped]
    .flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
    .flatMap((item) => {
      const members = (typeof item === 'object' && item !== null ? item : {}) as Readonly<Record<string, unknown>>;
      const [found, told] = [members[id], label === undefined ? null : members[label]];
      return typeof found === 'string' ? [{ id: found, label: typeof told === 'string' ? told : null }] : [];
    });
}

/** More things are not compared with a misspelt name. */
export const LISTED_MAX = 200;

/** The end of a message about a name that leads nowhere: what was meant, as far as the caller may list it. */
export function suggestionOf({ thing, name }: NamedThing, known: readonly KnownThing[]): string {
  const { label }: ThingKind = THINGS[thing];
  const byLabel = known.find((each) => each.label?.toLowerCase() === name.toLowerCase());
  if (byLabel !== undefined && label === 'name')
    return `; the ${thing} of that name has the id \`${visibleLine(byLabel.id)}\``;
  const near = nearestName(
    name,
    known.map(({ id }) => id),
  );
  if (near !== null) return `; did you mean \`${visibleLine(near)}\`?`;
  return `; \`writ ${thing} list\` shows what there is`;
}
