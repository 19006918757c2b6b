// SPDX-License-Identifier: Apache-2.0
import { isNodeReady } from './api.ts';

test('a node is ready by its condition', () => {
  const node = (status: string): string =>
    JSON.stringify({
      status: {
        conditions: [
          { type: 'MemoryPressure', status: 'True' },
          { type: 'Ready', status },
        ],
      },
    });
  expect(isNodeReady(node('True'))).toBe(true);
  expect(isNodeReady(node('False'))).toBe(false);
  expect(isNodeReady('{}')).toBe(false);
});
