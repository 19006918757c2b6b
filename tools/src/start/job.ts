// SPDX-License-Identifier: Apache-2.0

/** What the main job is given. */
export interface JobOptions {
  readonly apiUrl: string;
  readonly platformKey: string;
  readonly stateDir: string;
  readonly onProgress: (line: string) => void;
}

/** One call of the job, and how it ended. */
export interface JobCall {
  readonly tool_id: string;
  readonly state: string;
  readonly tx_outcome: string | null;
  readonly operation_id: string;
  /** Path of the receipt's file. */
  readonly receipt: string | null;
}

export interface JobResult {
  /** All went as it should, refusals and rollbacks included, and every receipt verified. */
  readonly ok: boolean;
  readonly calls: readonly JobCall[];
}

export type RunJob = (options: JobOptions) => Promise<JobResult>;

const MODULE = '../job/main.ts';

/** The main job: an agent at work on a real repository. */
export const loadJob = async (): Promise<RunJob> => ((await import(MODULE)) as { runJob: RunJob }).runJob;
