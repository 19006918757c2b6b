// SPDX-License-Identifier: Apache-2.0
import type { Parsed, RenderedMessage } from '@writ/dialects';
import { taskOf } from '../../edge/work/worker-tasks.ts';
import { readTurn, renderTurn, type Answered, type ModelOutput } from './read-turn.ts';

/** The tasks of turns for worker threads, by name. */
export const TURN_TASKS = {
  'turn.read': (output: ModelOutput): Parsed => readTurn(output),
  'turn.render': (answered: Answered): RenderedMessage[] => renderTurn(answered),
};
type TurnTasks = typeof TURN_TASKS;

export const READ_TURN = taskOf<TurnTasks, 'turn.read'>('turn.read', 5_000);
export const RENDER_TURN = taskOf<TurnTasks, 'turn.render'>('turn.render', 5_000);
