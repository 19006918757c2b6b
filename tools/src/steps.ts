// SPDX-License-Identifier: Apache-2.0
import { Listr, PRESET_TIMER, type ListrTask } from 'listr2';
import type { Setup } from './setup.ts';

/** A step that a person sees. */
export interface Step {
  readonly title: string;
  /** A text that it resolves with is printed beside the title. */
  readonly run: (setup: Setup) => Promise<unknown>;
}

/** Sequential steps; those in an inner list run in parallel. */
export type Plan = readonly (Step | readonly Step[])[];

/** Milliseconds between two lines without a terminal: enough to show progress in a short log. */
const PLAIN_INTERVAL_MS = 3_000;

/** At most one line in an interval; later ones replace earlier ones. */
export const throttle = (
  write: (line: string) => void,
  intervalMs: number,
  now: () => number,
): ((line: string) => void) => {
  let next = -Infinity;
  return (line) => {
    if (now() < next) return;
    next = now() + intervalMs;
    write(line);
  };
};

const toTask = (setup: Setup, plain: boolean, { title, run }: Step): ListrTask => ({
  title,
  task: async (_, task) => {
    const write = (line: string): void => {
      task.output = line.trim();
    };
    // A line in a step's first second is no use, and most steps have ended by then.
    const report = plain ? throttle(write, PLAIN_INTERVAL_MS, () => performance.now()) : write;
    const note = await run({ ...setup, report });
    if (typeof note === 'string') task.title = `${title}: ${note}`;
  },
});

/** Runs a plan, and prints each step with its progress and duration. Rejects with the first failure. */
export const runPlan = async (setup: Setup, plan: Plan): Promise<void> => {
  const plain = !process.stdout.isTTY;
  const tasks = plan.map((item): ListrTask =>
    'run' in item
      ? toTask(setup, plain, item)
      : {
          title: item.map(({ title }) => title).join(', '),
          task: (_, task) =>
            task.newListr(
              item.map((step) => toTask(setup, plain, step)),
              { concurrent: true },
            ),
        },
  );
  const timer = { ...PRESET_TIMER, condition: (duration: number): boolean => duration >= 1_000 };
  await new Listr(tasks, {
    renderer: plain ? 'simple' : 'default',
    // The supervisor ends everything in order; the library would exit the process.
    registerSignalListeners: false,
    rendererOptions: { timer, showErrorMessage: false, collapseErrors: false, collapseSubtasks: false },
  } as ConstructorParameters<typeof Listr>[1]).run();
};
