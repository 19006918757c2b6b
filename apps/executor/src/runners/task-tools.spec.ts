// SPDX-License-Identifier: Apache-2.0
import { TASK_CHANGES_MAX, TASKS_MAX, type Task } from '@writ/contract';
import { runTaskTool } from './task-tools.ts';

const id = (n: number): string => `op_${String(n).padStart(26, '0')}`;
const task = (n: number, over: Partial<Task> = {}): Task => ({
  task_id: id(n),
  title: `task ${n}`,
  note: '',
  status: 'open',
  ...over,
});
const run = (toolId: string, args: Record<string, unknown>, items: Task[] = [], changes = items.length) =>
  runTaskTool({ toolId, operationId: id(99), args, tasks: { items, changes } });

test("a new task has its operation's id and is open by default", () => {
  expect(run('task.create', { title: 'write it' })).toMatchObject({
    ok: true,
    delta: null,
    result: { task: { task_id: id(99), title: 'write it', note: '', status: 'open' } },
  });
  expect(run('task.create', { title: 'a', status: 'active', note: 'b' })).toMatchObject({
    result: { task: { status: 'active', note: 'b' } },
  });
});

test('an edit changes only the members that it names', () => {
  expect(run('task.edit', { task_id: id(2), status: 'done' }, [task(1), task(2, { note: 'kept' })])).toMatchObject({
    result: { task: { task_id: id(2), title: 'task 2', note: 'kept', status: 'done' } },
  });
});

test('a list has all tasks, or those with a status', () => {
  const items = [task(1), task(2, { status: 'done' })];
  expect(run('task.list', {}, items)).toMatchObject({ result: { tasks: items } });
  expect(run('task.list', { status: 'done' }, items)).toMatchObject({ result: { tasks: [items[1]] } });
});

test('an unknown task and an exceeded limit are reported', () => {
  expect(run('task.edit', { task_id: id(3), status: 'done' }, [task(1)])).toMatchObject({
    ok: false,
    code: 'task.unknown',
    message: expect.stringContaining(id(3)),
  });
  expect(
    run(
      'task.create',
      { title: 'a' },
      Array.from({ length: TASKS_MAX }, (_, n) => task(n)),
    ),
  ).toMatchObject({ ok: false, code: 'limit.exceeded' });
  for (const [tool, args] of [
    ['task.create', { title: 'a' }],
    ['task.edit', { task_id: id(1), status: 'done' }],
  ] as const)
    expect(run(tool, args, [task(1)], TASK_CHANGES_MAX)).toMatchObject({ ok: false, code: 'limit.exceeded' });
  expect(run('task.list', {}, [task(1)], TASK_CHANGES_MAX)).toMatchObject({ ok: true });
});
