// SPDX-License-Identifier: Apache-2.0
import type { TextErasureOrdersReply } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import type { ErasedBatch, ErasureRow } from '../../rows/erasure-row.ts';
import { kernelFunction } from './kernel-function.ts';

/** The calls that an erasure would cover, among those that were examined. */
export interface ErasurePlan {
  readonly operations: number;
  readonly unfinished: number;
  readonly unfinished_id: string | null;
  readonly looked: number;
}

/** An erasure that isn't over. */
export interface RunningErasure {
  readonly tenant_id: string;
  readonly erasure_id: string;
}

/** The functions of `sql/functions/erasure` that the kernel calls. */
export const erasureFunctions = {
  beginHashes: kernelFunction<boolean>()(
    'kernel.begin_hashes',
    { tenant: sqlTypes.text, erasure: sqlTypes.text, after_ms: sqlTypes.bigint },
    { returns: 'value' },
  ),
  beginRetention: kernelFunction<boolean>()(
    'kernel.begin_retention',
    { tenant: sqlTypes.text, erasure: sqlTypes.text },
    { returns: 'value' },
  ),
  eraseBatch: kernelFunction<ErasedBatch | null>()(
    'kernel.erase_batch',
    { tenant: sqlTypes.text, erasure: sqlTypes.text, record: sqlTypes.text, rows: sqlTypes.integer },
    { returns: 'value' },
  ),
  erasurePlan: kernelFunction<ErasurePlan>()(
    'kernel.erasure_plan',
    { tenant: sqlTypes.text, erasure: sqlTypes.jsonb<object>(), rows: sqlTypes.integer },
    { returns: 'value' },
  ),
  runningErasures: kernelFunction<RunningErasure[]>()(
    'kernel.running_erasures',
    { rows: sqlTypes.integer },
    { returns: 'value' },
  ),
  takeRetention: kernelFunction<string | null>()(
    'kernel.take_retention',
    { every: sqlTypes.bigint },
    { returns: 'value' },
  ),
  tellTexts: kernelFunction<ErasureRow | null>()(
    'kernel.tell_texts',
    {
      tenant: sqlTypes.text,
      erasure: sqlTypes.text,
      round: sqlTypes.integer,
      sessions: sqlTypes.integer,
      runs: sqlTypes.integer,
      record: sqlTypes.text,
    },
    { returns: 'value' },
  ),
  tenantsWithHashes: kernelFunction<string[]>()(
    'kernel.tenants_with_hashes',
    { after_ms: sqlTypes.bigint, rows: sqlTypes.integer },
    { returns: 'value' },
  ),
  textOrders: kernelFunction<TextErasureOrdersReply['orders']>()(
    'kernel.text_orders',
    { rows: sqlTypes.integer },
    { returns: 'value' },
  ),
  textsGone: kernelFunction<ErasureRow | null>()(
    'kernel.texts_gone',
    { tenant: sqlTypes.text, erasure: sqlTypes.text },
    { returns: 'value' },
  ),
} as const;
