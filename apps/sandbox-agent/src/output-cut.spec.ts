// SPDX-License-Identifier: Apache-2.0
import type { AgentMessage } from '@writ/sandbox';
import { OutputCut } from './output-cut.ts';

test('output is passed on up to the bound over both streams, in one sequence, and counted beyond it', () => {
  const said: AgentMessage[] = [];
  const output = new OutputCut(5, (message) => said.push(message));
  output.take('stdout', Buffer.from('abc'));
  output.take('stderr', Buffer.from('defg'));
  output.take('stdout', Buffer.from('hi'));
  expect(said).toEqual([
    { type: 'stdout', sequence: 0, bytes: Buffer.from('abc') },
    { type: 'stderr', sequence: 1, bytes: Buffer.from('de') },
  ]);
  expect(output.droppedBytes).toBe(4);
});
