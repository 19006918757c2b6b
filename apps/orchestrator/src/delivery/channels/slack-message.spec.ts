// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import fc from 'fast-check';
import type { ShownApproval } from './shown-approval.ts';
import { asCode, slackMessageOf } from './slack-message.ts';

const APPROVAL: ShownApproval = {
  ...{
    approval_id: newId('approval'),
    operation_id: newId('operation'),
    tool_id: 'fs.write',
    agent_id: newId('agent'),
  },
  ...{ of: 'effect', state: 'pending', expires_at: 1_767_312_000_000, decided_at: null, decided_by: null },
  binding: { action_digest: 'a', effect_digest: 'e', policy_hash: 'p', expires_at: 1_767_312_000_000 },
  votes: { given: 0, needed: 1, role: 'operator' },
};
const PAGE = 'https://writ.example.org/console/approvals/x';

it('a value is one piece of code, whatever it contains', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (value) => {
      const code = asCode(value);
      expect(code).toMatch(/^`[^`]*`$/);
      expect(code).not.toMatch(/[<>\p{Cc}\p{Cf}]/u);
      expect(code.replaceAll(/&(?:amp|lt|gt);/g, '')).not.toContain('&');
    }),
  );
});

it('a hostile name makes no mention and no link', () => {
  const shown = JSON.stringify(slackMessageOf({ ...APPROVAL, tool_id: '<!channel> <https://evil.test|ok>`*x*' }, PAGE));
  expect(shown).not.toMatch(/<!channel>|<https/);
  expect(shown).toContain('&lt;!channel&gt;');
});

it('the digest of the effect is shown where the approval binds to it, and otherwise that of the action', () => {
  const small = (approval: ShownApproval) => JSON.stringify(slackMessageOf(approval, PAGE).blocks[1]);
  expect(small(APPROVAL)).toContain('digest `e`');
  expect(small({ ...APPROVAL, binding: { ...APPROVAL.binding, effect_digest: null } })).toContain('digest `a`');
});

it.each(['approved', 'denied', 'expired', 'cancelled', 'superseded'] as const)(
  'a call that is %s asks for nothing any more',
  (state) => {
    const { text, blocks } = slackMessageOf({ ...APPROVAL, state }, PAGE);
    expect(text).not.toContain('waits');
    expect(JSON.stringify(blocks)).not.toContain('Expires');
    expect(JSON.stringify(blocks)).toContain('Open in the console');
  },
);
