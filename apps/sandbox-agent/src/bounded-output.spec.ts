// SPDX-License-Identifier: Apache-2.0
import type { AgentMessage } from '@writ/sandbox';
import { BoundedOutput } from './bounded-output.ts';

test('output is sent up to the bound over both streams, in one sequence, and counted beyond it', () => {
  const messages: AgentMessage[] = [];
  const output = new BoundedOutput(5, (message) => messages.push(message));
  output.push('stdout', Buffer.from('abc'));
  output.push('stderr', Buffer.from('defg'));
  output.push('stdout', Buffer.from('hi'));
  expect(messages).toEqual([
    { type: 'stdout', sequence: 0, bytes: Buffer.from('abc') },
    { type: 'stderr', sequence: 1, bytes: Buffer.from('de') },
  ]);
  expect(output.droppedBytes).toBe(4);
});
