// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { Check } from '../check.ts';
import { demand, NotMade } from '../finding.ts';
import { inWords, objectOf, textIn, type Answer, type DoctorApi } from '../doctor-api.ts';
import { describe } from '../world.ts';

/**
 * Headers in which an answer could tell what it found. Others name the request or the moment, or a proxy before the API
 * writes them. Those that follow from the body are compared with it.
 */
const TELLING = /^(?:writ-(?!request-id$)|content-(?:type|language|location)$|cache-control$|allow$|last-modified$)/;
const TELLING_TOO: ReadonlySet<string> = new Set(['link', 'location', 'retry-after', 'vary', 'www-authenticate']);
const REQUEST = /urn:writ:request:[0-9a-z_-]+/g;

/** The bytes of an answer, without what names the request: its own id, and the id that was asked for. */
function bytesOf({ status, headers, text }: Answer, asked: string): string {
  const kept = [...headers].filter(([name]) => TELLING.test(name) || TELLING_TOO.has(name));
  return JSON.stringify([status, kept, text.replaceAll(asked, '<asked>').replaceAll(REQUEST, '<request>')]);
}

/** An id of the same form that nothing has: the digits of ids are Crockford's base 32. */
function unusedLike(id: string): string {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  const random = [...randomBytes(25)].map((byte) => digits[byte % digits.length] ?? '0').join('');
  return `${id.slice(0, id.indexOf('_') + 2)}${random}`;
}

interface Foreign {
  readonly method: 'GET' | 'POST';
  readonly id: string;
  readonly path: (id: string) => string;
}

const read = (collection: string, id: string): Foreign => ({
  method: 'GET',
  id,
  path: (asked) => `/v1/${collection}/${asked}`,
});
const act = (collection: string, id: string, verb: string): Foreign => ({
  method: 'POST',
  id,
  path: (asked) => `/v1/${collection}/${asked}/${verb}`,
});

async function verifyApart(stranger: DoctorApi, { method, id, path }: Foreign): Promise<void> {
  const unused = unusedLike(id);
  const body = method === 'POST' ? {} : undefined;
  const theirs = await stranger.ask(method, path(id), body);
  const nothing = await stranger.ask(method, path(unused), body);
  const shown = `${method} ${path('…')}`;
  demand(theirs.status >= 400, `another tenant's administrator got ${inWords(theirs)} to ${shown}`);
  if (nothing.status !== 404) throw new NotMade(`${shown} of nothing answered ${inWords(nothing)}, and not 404`);
  demand(
    bytesOf(theirs, id) === bytesOf(nothing, unused),
    `${shown} answers ${inWords(theirs)} to another tenant, and ${inWords(nothing)} where there is nothing`,
  );
}

const LISTS = ['operations', 'approvals', 'workspaces', 'agents', 'capability-tokens', 'api-keys', 'records'] as const;

const apart: Check = {
  id: 'tenants',
  invariant: 'A tenant sees of another one what it sees of nothing',
  obligatory: true,
  run: async (world) => {
    const [{ admin: stranger }, room] = await Promise.all([world.another(), world.room({ 'a.txt': 'ours\n' })]);
    const held = await room.call(
      'fs.write',
      { path: 'a.txt', content: 'theirs\n' },
      { by: await world.key({ role: 'admin' }), max_autonomy: 'soft_gate' },
    );
    const [operation, approval] = ['operation_id', 'approval_id'].map((name) => textIn(objectOf(held), name));
    if (operation === undefined || approval === undefined || approval === '')
      throw new NotMade(`a call did not wait for a person: ${describe(held)}`);
    const foreign = [
      read('operations', operation),
      read('approvals', approval),
      read('workspaces', room.workspaceId),
      read('capability-tokens', room.tokenId),
      act('approvals', approval, 'approve'),
      act('approvals', approval, 'deny'),
      act('operations', operation, 'cancel'),
      act('capability-tokens', room.tokenId, 'revoke'),
    ];
    for (const each of foreign) await verifyApart(stranger, each);
    const ids = [operation, approval, room.workspaceId, room.tokenId, world.agentId];
    for (const list of LISTS) {
      const { status, text } = await stranger.get(`/v1/${list}?limit=100`);
      if (status !== 200) throw new NotMade(`/v1/${list} answered ${String(status)}`);
      demand(!ids.some((id) => text.includes(id)), `/v1/${list} of another tenant shows an id of this one`);
    }
    const cancelled = await world.admin.post(`/v1/operations/${operation}/cancel`);
    demand(cancelled.status === 200, `the call was not left as it was: ${inWords(cancelled)}`);
    return `${String(foreign.length)} requests for ids of another tenant got the bytes of nothing, and ${String(LISTS.length)} lists show none`;
  },
};

export const TENANT_CHECKS: readonly Check[] = [apart];
