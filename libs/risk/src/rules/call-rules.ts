// SPDX-License-Identifier: Apache-2.0
import { DESTROYS } from './destroys.ts';
import type { RiskRule } from './rule.ts';

/** Rules on the call as such: its tool's category, and earlier events of the session. */
export const CALL_RULES: readonly RiskRule[] = [
  {
    id: 'category.write',
    when: { categories: ['write'] },
    points: { policy_sensitivity: 50 },
    ceiling: 'none',
    reach: 'workspace',
    message: 'the tool changes files',
  },
  {
    id: 'category.admin',
    when: { categories: ['admin'] },
    points: { policy_sensitivity: 400 },
    ceiling: 'none',
    reach: 'beyond',
    message: 'the tool is an administrative one',
  },
  {
    id: 'history.destructive_series',
    when: { kinds: [...DESTROYS], history: { destructive_calls: 3 } },
    points: { reversibility: 200, blast_radius: 300 },
    ceiling: 'soft_gate',
    reach: 'workspace',
    message: '`{form}` would destroy something again, after several such calls of this session: `{subject}`',
  },
  {
    id: 'history.failures',
    when: { categories: ['write', 'admin'], history: { failures_in_a_row: 5 } },
    points: { ambiguity: 150 },
    ceiling: 'none',
    reach: 'workspace',
    message: 'the calls just before failed, one after another',
  },
  {
    id: 'history.secret_to_network',
    when: {
      kinds: ['network', 'own_service', 'mail', 'mail_outside', 'secret_egress'],
      history: { labels: ['secret_read'] },
    },
    points: { policy_sensitivity: 600 },
    ceiling: 'soft_gate',
    reach: 'beyond',
    message: '`{form}` would speak to another machine after the session has read a secret: `{subject}`',
  },
  {
    id: 'history.private_to_network',
    when: { kinds: ['network', 'secret_egress'], history: { labels: ['untrusted_content', 'private_data'] } },
    points: { ambiguity: 200, policy_sensitivity: 500 },
    ceiling: 'soft_gate',
    reach: 'beyond',
    message:
      '`{form}` would speak to another machine in a session with private data and with content of strangers: `{subject}`',
  },
  {
    id: 'mail.outside',
    when: { kinds: ['mail_outside'] },
    points: { blast_radius: 100 },
    ceiling: 'none',
    reach: 'beyond',
    message: '`{form}` addresses people outside of the domain of the mailbox: `{subject}`',
  },
  {
    id: 'mail.many',
    when: { kinds: ['mail', 'mail_outside'], many: true },
    points: { blast_radius: 150 },
    ceiling: 'none',
    reach: 'beyond',
    message: '`{form}` addresses more than ten people: `{subject}`',
  },
  {
    id: 'mail.private_outside',
    when: { kinds: ['mail_outside'], history: { labels: ['untrusted_content', 'private_data'] } },
    points: { policy_sensitivity: 100 },
    ceiling: 'none',
    reach: 'beyond',
    message:
      '`{form}` addresses people outside, in a session with private data and with content of strangers: `{subject}`',
  },
  {
    id: 'history.untrusted_content',
    when: { categories: ['write', 'admin'], history: { labels: ['untrusted_content'] } },
    points: { policy_sensitivity: 100 },
    ceiling: 'none',
    reach: 'workspace',
    message: 'the session has read content of strangers, which may be what asks for this',
  },
];
