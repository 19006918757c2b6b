// SPDX-License-Identifier: Apache-2.0
import type { ApiKey, CreateApiKeyRequest, KeyRole } from '@writ/client/web';

export type KeyState = 'good' | 'revoked' | 'over';

/** Whether a key can be used at a time. */
export function keyStateOf(
  { revoked_at, expires_at }: Pick<ApiKey, 'revoked_at' | 'expires_at'>,
  now: number,
): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= now ? 'over' : 'good';
}

const DAY_MS = 86_400_000;
export const LIFETIMES_MS = { month: 30 * DAY_MS, quarter: 90 * DAY_MS, year: 365 * DAY_MS, ever: null } as const;

/** A key as it is typed. */
export interface KeyDraft {
  readonly name: string;
  readonly role: KeyRole;
  readonly agentId: string;
  readonly person: string;
  readonly tools: string;
  readonly scopes: string;
  readonly lifetime: keyof typeof LIFETIMES_MS;
}

const listOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((one) => one !== '');

/** The request that makes a key; null: something is missing. */
export function keyRequestOf(draft: KeyDraft, now: number): CreateApiKeyRequest | null {
  const [name, person, span] = [draft.name.trim(), draft.person.trim(), LIFETIMES_MS[draft.lifetime]];
  const [tools, scopes] = [listOf(draft.tools), listOf(draft.scopes)];
  if (name === '' || (draft.role === 'agent' && draft.agentId === '')) return null;
  if (draft.role === 'worker' && tools.length === 0) return null;
  return {
    name,
    role: draft.role,
    ...(draft.role === 'agent' ? { agent_id: draft.agentId } : {}),
    ...(person === '' ? {} : { principal: person }),
    ...(draft.role === 'worker' ? { tools } : {}),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(span === null ? {} : { expires_at: now + span }),
  };
}
