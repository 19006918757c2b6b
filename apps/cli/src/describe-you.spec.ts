// SPDX-License-Identifier: Apache-2.0
import { describeYou } from './describe-you.ts';

const NOTHING = { may_approve: false, may_deny: false, why: [], delegations: [], voted: null };
const DELEGATION = 'dlg_01JZZZZZZZZZZZZZZZZZZZZZZZ' as never;

it.each([
  [{ ...NOTHING, may_approve: true, may_deny: true }, 'you may approve or deny it'],
  [
    { ...NOTHING, may_deny: true, why: [{ code: 'approval.not_in_group', message: 'reserved for `finance`' }] },
    'you may deny it\napproval.not_in_group: reserved for `finance`',
  ],
  [
    { ...NOTHING, why: [{ code: 'auth.role', message: 'it takes\nan administrator' }] },
    'you may neither approve nor deny it\nauth.role: it takes\\nan administrator',
  ],
  [
    { ...NOTHING, may_deny: true, delegations: [DELEGATION], voted: 'approve' as const },
    `you have approved it\nyou may deny it\nyou may approve it with --delegation ${String(DELEGATION)}`,
  ],
])('what a caller may decide about a waiting call is said in words: %j', (you, words) => {
  expect(describeYou(you, true)).toBe(words);
});

it('of a call that was decided only the own decision is said', () => {
  expect(describeYou({ ...NOTHING, voted: 'deny' }, false)).toBe('you have denied it');
  expect(describeYou(NOTHING, false)).toBeNull();
});
