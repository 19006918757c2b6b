// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { localOf, momentOf, readEvidenceSearch } from './evidence-search.ts';

it('an address keeps all filters of the search', () => {
  const all = {
    agent: 'agt_1',
    tool: 'fs.write',
    session: 's',
    operation: 'op_1',
    resource: 'wsp_1*',
    text: 'policy.denied',
    type: 'tool_call',
    verdict: 'refused',
    outcome: 'committed',
    order: 'oldest',
    risk_min: 0,
    risk_max: 0.7,
    since: '2026-01-31T09:30:00Z',
    until: '2026-01-31T09:30:00.000Z',
  };
  expect(readEvidenceSearch(all)).toEqual(all);
});

it('wrong values and other members are left out', () => {
  const wrong = { agent: 1, tool: '', type: 'x', verdict: 'yes', risk_min: 2, risk_max: '0', since: '2026', limit: 5 };
  expect(readEvidenceSearch(wrong)).toEqual({});
});

it('a moment is the same after it was in a field of the reader’s time zone, to the minute', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60_000_000 }), (minutes) => {
      const moment = new Date(minutes * 60_000).toISOString();
      // Where clocks are set back an hour has two meanings, and a field knows one of them.
      const hours = Math.abs(Date.parse(momentOf(localOf(moment)) ?? '') - minutes * 60_000) / 3_600_000;
      expect([0, 1]).toContain(hours);
    }),
  );
  expect([localOf(undefined), localOf('no'), momentOf('')]).toEqual(['', '', undefined]);
});
