// SPDX-License-Identifier: Apache-2.0
import { readAdministrationSearch } from './administration-search.ts';
import { keyRequestOf, keyStateOf, type KeyDraft } from './api-key-state.ts';
import { costText } from './cost-text.ts';
import { eraseRequestOf } from './erase-request.ts';
import { msOf, pathsOf, wholeOf } from './limit-drafts.ts';
import { stopRequestOf } from './stop-request.ts';

describe('the request of an emergency stop', () => {
  it('names the tenant by the caller alone, and an agent or tool by its id', () => {
    const stop = { id: ' shell.run ', reason: ' it loops ', until: 'lifted' } as const;
    expect(stopRequestOf({ ...stop, scope: 'tenant' }, 0)).toEqual({ scope: 'tenant', reason: 'it loops' });
    expect(stopRequestOf({ ...stop, scope: 'tool' }, 0)).toEqual({
      scope: 'tool',
      id: 'shell.run',
      reason: 'it loops',
    });
  });

  it('is none without a reason, and without what is stopped', () => {
    expect(stopRequestOf({ scope: 'tenant', id: '', reason: ' ', until: 'lifted' }, 0)).toBeNull();
    expect(stopRequestOf({ scope: 'agent', id: ' ', reason: 'why', until: 'lifted' }, 0)).toBeNull();
  });

  it('ends by itself where that was asked for', () => {
    const request = stopRequestOf({ scope: 'tenant', id: '', reason: 'why', until: 'hour' }, 1_000);
    expect(request?.expires_at).toBe(3_601_000);
  });
});

describe('the request of an API key', () => {
  const draft: KeyDraft = {
    name: ' ci ',
    role: 'auditor',
    agentId: 'agt_1',
    person: '',
    tools: 'a.b',
    scopes: 'operations:read, records:read',
    lifetime: 'ever',
  };

  it('has only what its role takes', () => {
    expect(keyRequestOf(draft, 0)).toEqual({
      name: 'ci',
      role: 'auditor',
      scopes: ['operations:read', 'records:read'],
    });
    expect(keyRequestOf({ ...draft, role: 'agent', scopes: '' }, 0)).toEqual({
      name: 'ci',
      role: 'agent',
      agent_id: 'agt_1',
    });
    expect(keyRequestOf({ ...draft, role: 'worker', scopes: '', lifetime: 'month' }, 5)).toEqual({
      name: 'ci',
      role: 'worker',
      tools: ['a.b'],
      expires_at: 30 * 86_400_000 + 5,
    });
  });

  it('is none without a name, an agent or tools where they are needed', () => {
    expect(keyRequestOf({ ...draft, name: ' ' }, 0)).toBeNull();
    expect(keyRequestOf({ ...draft, role: 'agent', agentId: '' }, 0)).toBeNull();
    expect(keyRequestOf({ ...draft, role: 'worker', tools: ' ' }, 0)).toBeNull();
  });
});

it('the state of an API key: revoked before over, and over from its end on', () => {
  expect(keyStateOf({ revoked_at: 1, expires_at: 1 }, 2)).toBe('revoked');
  expect(keyStateOf({ revoked_at: null, expires_at: 2 }, 2)).toBe('over');
  expect(keyStateOf({ revoked_at: null, expires_at: 3 }, 2)).toBe('good');
});

describe('the request of an erasure', () => {
  it('names exactly what was typed', () => {
    expect(eraseRequestOf({ what: 'subject', value: ' crm/42 ', reason: 'gdpr' })).toEqual({
      subject: 'crm/42',
      reason_code: 'gdpr',
    });
    const local = '2026-01-31T09:30';
    expect(eraseRequestOf({ what: 'before', value: local, reason: 'gdpr' })).toEqual({
      before: new Date(local).toISOString().replace('.000Z', 'Z'),
      reason_code: 'gdpr',
    });
  });

  it('is none where something is missing or is no time', () => {
    expect(eraseRequestOf({ what: 'before', value: 'soon', reason: 'gdpr' })).toBeNull();
    expect(eraseRequestOf({ what: 'session_id', value: '', reason: 'gdpr' })).toBeNull();
    expect(eraseRequestOf({ what: 'session_id', value: 'ses_1', reason: ' ' })).toBeNull();
  });
});

it('fields of limits take whole numbers, seconds and lines, and tell what is none', () => {
  expect([wholeOf(''), wholeOf('30'), wholeOf('3.5'), wholeOf('-1')]).toEqual([null, 30, undefined, undefined]);
  expect([msOf(''), msOf('1.5'), msOf('1e3'), msOf('0.0001')]).toEqual([null, 1_500, undefined, undefined]);
  expect(pathsOf(' src \n\n a b\n')).toEqual(['src', 'a b']);
});

it('a cost that is small does not become nothing', () => {
  expect(costText(12_300, 'USD')).toBe('0.0123 USD');
  expect(costText(1, null)).toBe('0.000001');
});

it('the address keeps what the pages know, and leaves out the rest', () => {
  expect(readAdministrationSearch({ chosen: 'key_1', show: 7, other: 'x' })).toEqual({ chosen: 'key_1' });
  expect(readAdministrationSearch({ chosen: 'x'.repeat(300), show: 'all' })).toEqual({ show: 'all' });
});
