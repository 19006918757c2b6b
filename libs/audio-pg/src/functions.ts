// SPDX-License-Identifier: Apache-2.0
import { sqlFunction, sqlTypes } from '@writ/database';

export interface AppendedRow {
  readonly stored: number;
  readonly expected: number;
  readonly until_ms: number;
  readonly too_early: number | null;
}

export interface SegmentRow {
  readonly seq: number;
  readonly start_ms: number;
  readonly sealed: Buffer;
}

export interface KeptRow {
  readonly tenant_id: string;
  readonly device_id: string;
  readonly keep_ms: number;
}

export interface TimesRow {
  readonly seq: number;
  readonly start_ms: number;
  readonly end_ms: number;
}

export interface NewestRow {
  readonly newest_ms: number | null;
  readonly removed_ms: number;
}

export interface ExtentRow extends NewestRow {
  readonly next_seq: number;
  readonly frames: number;
  readonly bytes: number;
  readonly oldest_ms: number | null;
}

const device = { tenant: sqlTypes.text, device: sqlTypes.text } as const;

/** The functions of the schema `audio` that this library calls. A spec compares them with the database. */
export const audioSql = {
  append: sqlFunction<AppendedRow>()(
    'audio.append',
    {
      ...device,
      seqs: sqlTypes.bigintArray,
      starts: sqlTypes.bigintArray,
      ends: sqlTypes.bigintArray,
      sizes: sqlTypes.integerArray,
      body: sqlTypes.bytea,
      overlap: sqlTypes.integer,
      most: sqlTypes.bigint,
      since: sqlTypes.bigint,
    },
    { returns: 'row' },
  ),
  deviceExtent: sqlFunction<ExtentRow>()(
    'audio.device_extent',
    { ...device, since: sqlTypes.bigint },
    { returns: 'row' },
  ),
  expire: sqlFunction<number>()('audio.expire', { ...device, since: sqlTypes.bigint }, { returns: 'value' }),
  forget: sqlFunction()('audio.forget', device, { returns: 'nothing' }),
  newest: sqlFunction<NewestRow>()('audio.newest', { ...device, since: sqlTypes.bigint }, { returns: 'row' }),
  kept: sqlFunction<KeptRow>()(
    'audio.kept',
    { after_tenant: sqlTypes.text, after_device: sqlTypes.text, most: sqlTypes.integer },
    { returns: 'rows' },
  ),
  open: sqlFunction()('audio.open', { ...device, keep: sqlTypes.bigint }, { returns: 'nothing' }),
  sealedSegments: sqlFunction<SegmentRow>()(
    'audio.sealed_segments',
    {
      ...device,
      from_ms: sqlTypes.bigint,
      to_ms: sqlTypes.bigint,
      from_seq: sqlTypes.bigint,
      since: sqlTypes.bigint,
      most: sqlTypes.bigint,
    },
    { returns: 'rows' },
  ),
  times: sqlFunction<TimesRow>()(
    'audio.times',
    { ...device, from_seq: sqlTypes.nullable(sqlTypes.bigint), since: sqlTypes.bigint, most: sqlTypes.integer },
    { returns: 'rows' },
  ),
} as const;
