// SPDX-License-Identifier: Apache-2.0
import { IDS, TOKEN } from '../specs/samples.ts';
import { describeToken, statusOf } from './describe-token.ts';

const { not_before, expires_at } = TOKEN.grant;
const NOW = not_before + 1;

test.each([
  [{}, NOW, 'valid'],
  [{}, not_before - 1, 'not yet valid'],
  [{}, expires_at, 'expired'],
  [{ revoked: true }, expires_at, 'revoked'],
] as const)('a token with %j at %d is %s', (more, now, expected) => {
  expect(statusOf({ ...TOKEN, ...more }, now)).toBe(expected);
});

test('a chain is shown from its root down to the token', () => {
  const root = IDS.token.replace(/.$/, '0');
  expect(describeToken({ ...TOKEN, parent_id: root, chain: [root, IDS.token] }, NOW)).toMatch(
    new RegExp(`chain +${root}\n +  ${IDS.token}\n`),
  );
});

test('a token is shown with hosts, secrets and the bounds of its ancestors', () => {
  const grant = {
    ...TOKEN.grant,
    net: [
      { domain: '*.a.org', methods: ['GET', 'PUT'] },
      { domain: 'm.a.org', methods: ['TLS'], ports: [993] },
    ],
    secrets: ['KEY'],
    resources: ['info_store:handbook'],
    budgets: {},
  };
  const text = describeToken({ ...TOKEN, grant, used: {}, reserved: {}, left: { cpu_ms: 7 } }, NOW);
  expect(text).toContain('GET,PUT *.a.org');
  expect(text).toContain('TLS m.a.org:993');
  expect(text).toMatch(/secrets +KEY/);
  expect(text).toMatch(/resources +info_store:handbook/);
  expect(text).toMatch(/cpu_ms +- +- +- +7/);
  expect(describeToken({ ...TOKEN, grant, used: {}, reserved: {}, left: {} }, NOW)).toMatch(/budgets +unbounded/);
});
