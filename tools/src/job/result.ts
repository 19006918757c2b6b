// SPDX-License-Identifier: Apache-2.0

/** The inputs of the job. */
export interface JobOptions {
  readonly apiUrl: string;
  /** May only create tenants. */
  readonly platformKey: string;
  readonly stateDir: string;
  /** Receives one line for each event. */
  readonly onProgress: (line: string) => void;
  /** The environment with a model's key; the process's own by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** One call, with its decision, outcome and receipts. */
export interface JobCall {
  readonly n: number;
  readonly tool_id: string;
  /** A short description of the call. */
  readonly what: string;
  /** Who made it: the model, or the job where the model did not. */
  readonly by: 'model' | 'job';
  readonly decision: 'admitted' | 'refused' | 'held, denied' | 'held, approved' | 'repeated';
  readonly state: string;
  readonly tx_outcome: string | null;
  /** The fault code of a failed call. */
  readonly code: string | null;
  readonly operation_id: string;
  /** Path of the outcome's receipt, or of the decision's where there is no outcome. */
  readonly receipt: string | null;
  /** Whether every receipt of the operation verified offline. */
  readonly verified: boolean;
  readonly ms: number;
}

/** An expectation, and what was found. */
export interface Expectation {
  readonly what: string;
  readonly met: boolean;
  readonly found: string;
}

export interface JobResult {
  /** Whether every expectation was met. */
  readonly ok: boolean;
  /** The model's name; begins with `transcript:` for a recorded run. */
  readonly model: string;
  readonly workspace_id: string;
  readonly calls: readonly JobCall[];
  readonly expectations: readonly Expectation[];
}
