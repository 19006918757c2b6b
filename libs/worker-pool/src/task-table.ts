// SPDX-License-Identifier: Apache-2.0

/** The tasks of a worker program by name: each maps one input that can be cloned to one output that can be cloned. */
export type TaskTable = Readonly<Record<string, (input: never) => unknown>>;

/** What a task takes. */
export type InputOf<Tasks extends TaskTable, K extends keyof Tasks> = Parameters<Tasks[K]>[0];

/** What a task answers. */
export type OutputOf<Tasks extends TaskTable, K extends keyof Tasks> = Awaited<ReturnType<Tasks[K]>>;
