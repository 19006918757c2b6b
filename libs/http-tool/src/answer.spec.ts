// SPDX-License-Identifier: Apache-2.0
import { isSuccess, refusesWholly } from './answer.ts';

const plain = { idempotency_header: null };
const named = { idempotency_header: 'Idempotency-Key' };

it.each([400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 423, 425, 429, 431, 451])(
  '%d says that nothing was done',
  (status) => {
    expect(refusesWholly(plain, status)).toBe(true);
    expect(isSuccess(status)).toBe(false);
  },
);

it.each([100, 200, 202, 207, 299, 300, 303, 304, 307, 408, 418, 424, 430, 444, 460, 498, 499, 500, 502, 503, 504, 999])(
  '%d does not say that nothing was done',
  (status) => {
    expect(refusesWholly(plain, status)).toBe(false);
    expect(isSuccess(status)).toBe(status >= 200 && status < 300);
  },
);

it('409 to a request with an idempotency key may be about the same request, so it is no refusal', () => {
  expect([plain, named].map((tool) => refusesWholly(tool, 409))).toEqual([true, false]);
  expect(refusesWholly(named, 422)).toBe(true);
});
