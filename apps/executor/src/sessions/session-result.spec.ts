// SPDX-License-Identifier: Apache-2.0
import { NO_USAGE, ShellEnded, type ShellTurned } from '@writ/sandbox';
import { stagedEnd, stagedFailure, stagedTurn } from './session-result.ts';

const TURNED = {
  state: 'idle',
  refused: null,
  exitCode: 0,
  output: new Uint8Array(),
  truncatedBytes: 0,
  changes: [],
} as const;
const turn = (usage: ShellTurned['usage']) =>
  stagedTurn({ args: {}, isFirst: true }, { ...TURNED, usage }, null, null).usage;

it.each(['host', 'agent'] as const)(
  'the usage of a turn, and of a shell that ended, names who counted it: the %s',
  (countedBy) => {
    const usage = { ...NO_USAGE, cpuMs: 7, countedBy };
    expect(turn(usage)).toMatchObject({ cpu_ms: 7, counted_by: countedBy });
    expect(stagedEnd(new ShellEnded('limit', 'cpu', null, usage), 9).usage).toMatchObject({
      cpu_ms: 7,
      counted_by: countedBy,
    });
  },
);

it('usage that nobody counted has no `counted_by`', () => {
  expect(turn(NO_USAGE)).not.toHaveProperty('counted_by');
  expect(stagedFailure('session.busy', 'busy', null).usage).not.toHaveProperty('counted_by');
});
