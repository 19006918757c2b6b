// SPDX-License-Identifier: Apache-2.0

/** The tasks of a worker program by name. Each maps one cloneable input to one cloneable output. */
export type TaskTable = Readonly<Record<string, (input: never) => unknown>>;

/** The input of a task. */
export type InputOf<Tasks extends TaskTable, K extends keyof Tasks> = Parameters<Tasks[K]>[0];

/** The output of a task. */
export type OutputOf<Tasks extends TaskTable, K extends keyof Tasks> = Awaited<ReturnType<Tasks[K]>>;
