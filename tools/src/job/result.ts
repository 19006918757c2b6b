// SPDX-License-Identifier: Apache-2.0

/** What the job is given. */
export interface JobOptions {
  readonly apiUrl: string;
  /** May only create tenants. */
  readonly platformKey: string;
  readonly stateDir: string;
  /** Hears one line for each thing that happens. */
  readonly onProgress: (line: string) => void;
  /** Where a model's key is looked for; the process' own environment unless said. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** One call, and all that became of it. */
export interface JobCall {
  readonly n: number;
  readonly tool_id: string;
  /** What the agent did, short enough for a line. */
  readonly what: string;
  /** Who asked for it: the model, or the job itself where the model had no reason to. */
  readonly by: 'model' | 'job';
  readonly decision: 'admitted' | 'refused' | 'held, denied' | 'held, approved' | 'repeated';
  readonly state: string;
  readonly tx_outcome: string | null;
  /** Why it did not go through: a fault code. */
  readonly code: string | null;
  readonly operation_id: string;
  /** Path of the file with the outcome's receipt, or the decision's where there is no other. */
  readonly receipt: string | null;
  /** Every receipt of the operation verified offline. */
  readonly verified: boolean;
  readonly ms: number;
}

/** Something that had to be so, and what was found. */
export interface Expectation {
  readonly what: string;
  readonly met: boolean;
  readonly found: string;
}

export interface JobResult {
  /** Every expectation was met. */
  readonly ok: boolean;
  /** Who chose the calls; begins with `transcript:` for a recorded run. */
  readonly model: string;
  readonly workspace_id: string;
  readonly calls: readonly JobCall[];
  readonly expectations: readonly Expectation[];
}
