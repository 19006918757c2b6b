// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import type { EndVerdict } from '../../rows/attempt-rows.ts';
import type { OperationRow } from '../../rows/operation-row.ts';
import { kernelFunction } from './kernel-function.ts';

/** An effect of a series, as the database returns it. */
export interface SeriesRow {
  readonly is_approved: boolean;
  /** hex SHA-256 of the delta's bytes */
  readonly delta: string;
}

/** What kernel.resolve_operation returns. */
export interface Resolved {
  readonly operation: OperationRow;
  readonly recorded: boolean;
}

/** A call, the database's clock in milliseconds, and the result, sealed, base64. */
export interface ReadOperation {
  readonly now: number;
  readonly operation: OperationRow;
  readonly result: string | null;
}

/** The functions of `sql/functions/outcomes` that the kernel calls. */
export const outcomesFunctions = {
  finish: kernelFunction<EndVerdict>()(
    'kernel.finish',
    {
      p: sqlTypes.jsonb<object>(),
      result: sqlTypes.nullable(sqlTypes.bytea),
      payload: sqlTypes.bytea,
      sig: sqlTypes.bytea,
    },
    {
      returns: 'value',
      errors: [
        'decide_again',
        'quota_exceeded',
        'size_unknown',
        'resource_exists',
        'task_unknown',
        'agent_conflict',
        'info_store_change_unknown',
        'info_store_change_differs',
        'info_store_unknown',
        'info_store_moved',
        'program_limit_exceeded',
        'check_violation',
      ],
    },
  ),
  finishHeld: kernelFunction<EndVerdict>()(
    'kernel.finish_held',
    {
      p: sqlTypes.jsonb<object>(),
      result: sqlTypes.nullable(sqlTypes.bytea),
      payload: sqlTypes.bytea,
      sig: sqlTypes.bytea,
    },
    {
      returns: 'value',
      errors: [
        'decide_again',
        'quota_exceeded',
        'size_unknown',
        'tool_changed',
        'resource_exists',
        'task_unknown',
        'agent_conflict',
        'info_store_change_unknown',
        'info_store_change_differs',
        'info_store_unknown',
        'info_store_moved',
        'program_limit_exceeded',
        'key_bound',
        'check_violation',
      ],
    },
  ),
  holdEffect: kernelFunction<EndVerdict>()(
    'kernel.hold_effect',
    {
      p: sqlTypes.jsonb<object>(),
      staged: sqlTypes.nullable(sqlTypes.bytea),
      payload: sqlTypes.bytea,
      sig: sqlTypes.bytea,
    },
    {
      returns: 'value',
      errors: [
        'decide_again',
        'quota_exceeded',
        'size_unknown',
        'tool_changed',
        'resource_exists',
        'task_unknown',
        'agent_conflict',
        'info_store_change_unknown',
        'info_store_change_differs',
        'info_store_unknown',
        'info_store_moved',
        'program_limit_exceeded',
        'check_violation',
      ],
    },
  ),
  joinSeries: kernelFunction<readonly SeriesRow[]>()(
    'kernel.join_series',
    {
      tenant: sqlTypes.text,
      workspace: sqlTypes.nullable(sqlTypes.text),
      session: sqlTypes.text,
      root: sqlTypes.text,
      operation: sqlTypes.text,
      delta: sqlTypes.text,
      approved: sqlTypes.boolean,
      window_ms: sqlTypes.bigint,
    },
    { returns: 'value' },
  ),
  readOperation: kernelFunction<ReadOperation | null>()(
    'kernel.read_operation',
    { tenant: sqlTypes.text, operation: sqlTypes.text },
    { returns: 'value' },
  ),
  resolveOperation: kernelFunction<Resolved | null>()(
    'kernel.resolve_operation',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>(), payload: sqlTypes.bytea, sig: sqlTypes.bytea },
    { returns: 'value' },
  ),
} as const;
