// SPDX-License-Identifier: Apache-2.0
import { foldTasks, type TaskChange } from './fold-tasks.ts';

const id = (n: number): string => `op_${String(n).padStart(26, '0')}`;
const made = (n: number, args: Record<string, unknown>): TaskChange => ({
  operation_id: id(n),
  tool_id: 'task.create',
  args,
});
const edited = (n: number, of: number, args: Record<string, unknown>): TaskChange => ({
  operation_id: id(n),
  tool_id: 'task.edit',
  args: { task_id: id(of), ...args },
});

test("tasks are the result of the calls, in the order of their creation; fields that an edit doesn't name stay", () => {
  expect(
    foldTasks([
      made(2, { title: 'two', status: 'active' }),
      made(1, { title: 'one', note: 'n' }),
      edited(3, 2, { status: 'done' }),
      edited(4, 1, { note: '' }),
      edited(5, 2, { title: 'second' }),
    ]),
  ).toEqual([
    { task_id: id(2), title: 'second', note: '', status: 'done' },
    { task_id: id(1), title: 'one', note: '', status: 'open' },
  ]);
});

test('an edit of a task whose creation was erased is ignored', () => {
  expect(foldTasks([edited(3, 1, { status: 'done' })])).toEqual([]);
});

test('fields that another version has in addition are left out', () => {
  expect(foldTasks([made(1, { title: 'one' }), edited(2, 1, { other: 1, status: 'done' })])).toEqual([
    { task_id: id(1), title: 'one', note: '', status: 'done' },
  ]);
});
