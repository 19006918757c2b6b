// SPDX-License-Identifier: Apache-2.0
import { FAULT_ANSWERS, FAULTS, type FaultAnswers, type FaultCode } from '@writ/contract';
import { readApi } from '../sdk/api-document.ts';
import { checkout } from '../setup.ts';
import { codesOfProblems, codesOfResults } from './fault-uses.ts';

/** Codes whose use the sources don't show by themselves. */
const EXPLAINED: Readonly<Partial<Record<FaultCode, readonly [FaultAnswers, string]>>> = {
  'image.unavailable': ['result', 'executors report it for tools of every kind, so it is in no list of a kind'],
  'workspace.quota': ['both', 'a commit that would exceed the quota fails the call with the code that was thrown'],
  'token.not_narrower': ['problem', 'the library decides it for the routes that make child tokens'],
  'token.depth': ['problem', 'the library decides it for the routes that make child tokens'],
};

test('the table of answers says what routes list as problems and what calls end with', async () => {
  const problems = codesOfProblems(checkout, (await readApi(checkout)).routes);
  const results = codesOfResults(checkout);
  const found = (code: FaultCode): FaultAnswers => {
    if (EXPLAINED[code] !== undefined) return EXPLAINED[code][0];
    if (problems.has(code)) return results.has(code) ? 'both' : 'problem';
    return results.has(code) ? 'result' : 'internal';
  };
  const codes = Object.keys(FAULTS) as FaultCode[];
  expect(codes.map((code) => [code, FAULT_ANSWERS[code]])).toEqual(codes.map((code) => [code, found(code)]));
  for (const [code, [, why]] of Object.entries(EXPLAINED)) expect([code, why.length > 20]).toEqual([code, true]);
});
