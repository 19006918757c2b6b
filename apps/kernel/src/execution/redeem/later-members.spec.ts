// SPDX-License-Identifier: Apache-2.0
import { Redemption, REDEMPTION_MEMBERS } from '@writ/contract';
import { redemptionFor } from './later-members.ts';

const all = Object.fromEntries(Object.keys(Redemption.properties).map((name) => [name, 1])) as never;
const names = (redemption: Redemption): string[] => Object.keys(redemption);

it('an executor that says nothing gets no member that the version before refuses', () => {
  const sent = names(redemptionFor({}, all));
  expect(sent.filter((name) => (REDEMPTION_MEMBERS as readonly string[]).includes(name))).toEqual([]);
  expect(sent).toHaveLength(names(all).length - REDEMPTION_MEMBERS.length);
});

it('an executor gets the members that it says it knows, and no others', () => {
  const sent = names(redemptionFor({ knows: ['acts_for', 'of_a_newer_version'] }, all));
  expect(sent).toContain('acts_for');
  expect(sent).not.toContain('session');
  expect(redemptionFor({ knows: [...REDEMPTION_MEMBERS] }, all)).toEqual(all);
});
