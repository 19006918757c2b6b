// SPDX-License-Identifier: Apache-2.0
import { busyShare, parseProcessorTimes, processorTimes } from './processor-times.ts';

test('only idle time and waiting for a disk are not busy', () => {
  expect(parseProcessorTimes('cpu  10 1 5 80 4 2 3 1 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n')).toEqual({ busy: 22, all: 106 });
});

test('the share is of the time between two samples', () => {
  expect(busyShare({ busy: 10, all: 100 }, { busy: 60, all: 200 })).toBe(0.5);
  expect(busyShare({ busy: 10, all: 100 }, { busy: 10, all: 100 })).toBe(0);
});

test('this machine has times that grow', () => {
  expect(processorTimes().all).toBeGreaterThan(0);
});
