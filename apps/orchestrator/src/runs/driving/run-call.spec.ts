// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { newSession } from '../../specs/session-steps.ts';
import type { SessionRow } from '../../store/session-rows/sessions.ts';
import type { Turn } from '../turns/turn-call.ts';
import { runCall, type CallParts } from './run-call.ts';

const { content: _content, ...SESSION } = newSession({ dialect: 'yips' });

test.each<[string, Partial<SessionRow>, Turn['session_mode']]>([
  ['an interactive session', {}, 'interactive'],
  ["a gateway's session", { session_mode: 'gateway' }, 'gateway'],
  ['a sub-agent of a scheduled turn', { session_mode: 'scheduled' }, 'scheduled'],
  ["a job's session", { job_id: newId('job') as SessionRow['job_id'] }, 'scheduled'],
])('a run of %s stages, applies and calls in its session mode', async (_what, over, mode) => {
  const modes: unknown[] = [];
  const answered = { view: null, resultToShow: null, outcome: { standing: 'completed', result: null, error: null } };
  const staged = ({ turn }: { readonly turn: Turn }) => {
    modes.push(turn.session_mode);
    return Promise.resolve(answered as never);
  };
  const parts = {
    parse: (body: { readonly session_mode: string }) => {
      modes.push(body.session_mode);
      throw new Error('enough');
    },
    staged: { stage: staged, apply: staged },
  } as unknown as CallParts;
  const context = {
    caller: {} as never,
    session: { ...SESSION, created_at: 1, ...over },
    run: { run_id: newId('run') },
    dialect: 'yips',
    model: 'm',
    onStarted: () => undefined,
  } as const;
  const call = { id: 'c', tool_id: 'fs.write', args: { path: 'a', content: 'b', token: 't' } };
  const { signal } = new AbortController();
  for (const each of ['stage', 'apply'] as const)
    await runCall(parts, context, { ...call, mode: each }, { round: 1, index: 0 }, signal);
  await expect(runCall(parts, context, call, { round: 1, index: 0 }, signal)).rejects.toThrow('enough');
  expect(modes).toEqual([mode, mode, mode]);
});
