// SPDX-License-Identifier: Apache-2.0
import { en } from '../words/en.ts';

/** A page that the navigation and the palette lead to. `key` is pressed after `g`. */
export interface Place {
  readonly to:
    | '/approvals'
    | '/activity'
    | '/policy'
    | '/tokens'
    | '/tools'
    | '/administration'
    | '/workspaces'
    | '/platform'
    | '/evidence'
    | '/sessions'
    | '/jobs';
  readonly label: string;
  readonly key: string;
}

export const PLACES: readonly Place[] = [
  { to: '/approvals', label: en.nav.approvals, key: 'a' },
  { to: '/activity', label: en.nav.activity, key: 'c' },
  { to: '/sessions', label: en.nav.sessions, key: 's' },
  { to: '/jobs', label: en.nav.jobs, key: 'j' },
  { to: '/workspaces', label: en.nav.workspaces, key: 'w' },
  { to: '/policy', label: en.nav.policy, key: 'p' },
  { to: '/tokens', label: en.nav.tokens, key: 't' },
  { to: '/tools', label: en.nav.tools, key: 'l' },
  { to: '/evidence', label: en.nav.evidence, key: 'e' },
  { to: '/administration', label: en.nav.administration, key: 'm' },
  { to: '/platform', label: en.nav.platform, key: 'o' },
];

/** Kinds of ids that have a page, by their prefix. */
const PAGES = {
  op: (id: string) => ({ to: '/activity/$operationId', params: { operationId: id } }) as const,
  apr: (id: string) => ({ to: '/approvals/$approvalId', params: { approvalId: id } }) as const,
  cap: (id: string) => ({ to: '/tokens/$tokenId', params: { tokenId: id } }) as const,
  frz: (id: string) => ({ to: '/administration/freezes', search: { show: 'all', chosen: id } }) as const,
  mbr: (id: string) => ({ to: '/administration/members', search: { chosen: id } }) as const,
  inv: (id: string) => ({ to: '/administration/invitations', search: { chosen: id } }) as const,
  agt: (id: string) => ({ to: '/administration/agents', search: { chosen: id } }) as const,
  key: (id: string) => ({ to: '/administration/keys', search: { chosen: id } }) as const,
  whk: (id: string) => ({ to: '/administration/webhooks', search: { chosen: id } }) as const,
  ers: (id: string) => ({ to: '/administration/erasures', search: { chosen: id } }) as const,
  wsp: (id: string) => ({ to: '/workspaces/$workspaceId', params: { workspaceId: id } }) as const,
  ses: (id: string) => ({ to: '/sessions/$sessionId', params: { sessionId: id } }) as const,
  run: (id: string) => ({ to: '/runs/$runId', params: { runId: id } }) as const,
  job: (id: string) => ({ to: '/jobs/$jobId', params: { jobId: id } }) as const,
};
const ID = /^(op|apr|cap|frz|mbr|inv|agt|key|whk|ers|wsp|ses|run|job)_[0-9a-z]{26}$/;

/** Where the page of an id is; null: the text is no id that has one. */
export function placeOfId(text: string): ReturnType<(typeof PAGES)[keyof typeof PAGES]> | null {
  const kind = ID.exec(text)?.[1] as keyof typeof PAGES | undefined;
  return kind === undefined ? null : PAGES[kind](text);
}
