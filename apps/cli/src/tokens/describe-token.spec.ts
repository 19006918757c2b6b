// SPDX-License-Identifier: Apache-2.0
import { IDS, TOKEN } from '../specs/samples.ts';
import { describeToken, standingOf } from './describe-token.ts';

const { not_before, expires_at } = TOKEN.grant;
const NOW = not_before + 1;

test.each([
  [{}, NOW, 'valid'],
  [{}, not_before - 1, 'not yet valid'],
  [{}, expires_at, 'expired'],
  [{ revoked: true }, expires_at, 'revoked'],
] as const)('a token with %j at %d is %s', (more, now, expected) => {
  expect(standingOf({ ...TOKEN, ...more }, now)).toBe(expected);
});

test('a chain is shown from its root down to the token', () => {
  const root = IDS.token.replace(/.$/, '0');
  expect(describeToken({ ...TOKEN, parent_id: root, chain: [root, IDS.token] }, NOW)).toMatch(
    new RegExp(`chain +${root}\n +  ${IDS.token}\n`),
  );
});

test('hosts and secrets are shown, and what bounds it from above alone', () => {
  const grant = {
    ...TOKEN.grant,
    net: [{ domain: '*.a.org', methods: ['GET', 'PUT'] }],
    secrets: ['KEY'],
    budgets: {},
  };
  const text = describeToken({ ...TOKEN, grant, used: {}, reserved: {}, left: { cpu_ms: 7 } }, NOW);
  expect(text).toContain('GET,PUT *.a.org');
  expect(text).toMatch(/secrets +KEY/);
  expect(text).toMatch(/cpu_ms +- +- +- +7/);
  expect(describeToken({ ...TOKEN, grant, used: {}, reserved: {}, left: {} }, NOW)).toMatch(/budgets +unbounded/);
});
