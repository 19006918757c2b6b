// SPDX-License-Identifier: Apache-2.0
import { Fault, FAULTS, type FaultCode } from '@writ/contract';
import { headersOf, problemOf } from './problem.ts';

it.each(Object.keys(FAULTS) as FaultCode[])('a problem of `%s` names a pause where a retry makes sense', (code) => {
  const headers = headersOf(problemOf(new Fault(code), 'req'));
  const { status, retry } = FAULTS[code];
  // Also where it may have happened, so that clients wait before they ask for it with the same key.
  const passes = retry === 'later' || (status === 503 && retry !== 'never');
  expect([headers['writ-fault'], 'retry-after' in headers]).toEqual([code, passes]);
});
