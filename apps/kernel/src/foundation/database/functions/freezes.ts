// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import type { FreezeRow } from '../../rows/freeze-row.ts';
import { kernelFunction } from './kernel-function.ts';

/** A freeze, and the database's clock when it was read, in milliseconds. */
export interface SeenFreeze {
  readonly now: number;
  readonly freeze: FreezeRow;
}

/** Freezes, newest first, and the database's clock when they were read, in milliseconds. */
export interface ListedFreezes {
  readonly now: number;
  readonly freezes: FreezeRow[];
}

/** The facts for placing a freeze: one that is in force already, and whether the subject exists. */
export interface FreezeFacts {
  /** milliseconds by the database's clock */
  readonly now: number;
  readonly standing: FreezeRow | null;
  readonly there: boolean;
}

/** A running attempt that a freeze covers. */
export interface RunningCall {
  readonly tenant_id: string;
  readonly operation_id: string;
  readonly attempt: number;
}

/** The functions of `sql/functions/freezes` that the kernel calls. */
export const freezesFunctions = {
  freezeFacts: kernelFunction<FreezeFacts>()(
    'kernel.freeze_facts',
    { tenant: sqlTypes.text, scope: sqlTypes.text, subject: sqlTypes.text },
    { returns: 'value' },
  ),
  frozenUnderWay: kernelFunction<RunningCall>()(
    'kernel.frozen_under_way',
    { tenant: sqlTypes.text },
    { returns: 'rows' },
  ),
  liftFreeze: kernelFunction<FreezeRow>()(
    'kernel.lift_freeze',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'value', errors: ['decide_again'] },
  ),
  listFreezes: kernelFunction<ListedFreezes>()(
    'kernel.list_freezes',
    {
      tenant: sqlTypes.text,
      created_at: sqlTypes.bigint,
      id: sqlTypes.text,
      standing: sqlTypes.boolean,
      rows: sqlTypes.integer,
    },
    { returns: 'value' },
  ),
  placeFreeze: kernelFunction<FreezeRow>()(
    'kernel.place_freeze',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'value', errors: ['decide_again'] },
  ),
  readFreeze: kernelFunction<SeenFreeze | null>()(
    'kernel.read_freeze',
    { tenant: sqlTypes.text, freeze: sqlTypes.text },
    { returns: 'value' },
  ),
} as const;
