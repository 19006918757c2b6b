// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { faultOfStatus, ModelError, readRetryAfter } from './model-error.ts';
import { RETRY_RULES, retryDelayMs } from './retry.ts';

test.each([
  [429, '', 'rate_limited'],
  [529, '', 'overloaded'],
  [503, '', 'overloaded'],
  [500, '', 'unavailable'],
  [502, '', 'unavailable'],
  [504, '', 'timeout'],
  [408, '', 'timeout'],
  [401, '', 'unauthorized'],
  [403, '', 'unauthorized'],
  [413, '', 'context_exceeded'],
  [400, 'prompt is too long: 210000 tokens', 'context_exceeded'],
  [400, "This model's maximum context length is 8192 tokens", 'context_exceeded'],
  [400, 'unknown field', 'invalid'],
  [404, 'no such model', 'invalid'],
  [422, '', 'invalid'],
])('status %i `%s` is %s', (status, text, fault) => expect(faultOfStatus(status, text)).toBe(fault));

test('Retry-After is seconds or a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(readRetryAfter('7', now)).toBe(7_000);
  expect(readRetryAfter('0.5', now)).toBe(500);
  expect(readRetryAfter('Thu, 01 Jan 2026 00:00:09 GMT', now)).toBe(9_000);
  expect(readRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0);
  for (const nothing of ['soon', '', null, undefined]) expect(readRetryAfter(nothing, now)).toBeNull();
});

test('a wait is at least what the provider requests, at most the bound more, and retries end', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.option(fc.integer({ min: 0, max: 300_000 })),
      (failures, chance, asked) => {
        const delay = retryDelayMs(new ModelError('overloaded', '', { retryAfterMs: asked }), failures, chance);
        const isAllowed = failures <= RETRY_RULES.retries_max && (asked ?? 0) <= RETRY_RULES.retry_after_ms_max;
        expect(delay !== null).toBe(isAllowed);
        if (delay === null) return;
        expect(delay).toBeGreaterThanOrEqual(asked ?? 0);
        expect(delay).toBeLessThanOrEqual((asked ?? 0) + RETRY_RULES.wait_ms_max);
      },
    ),
  );
});
