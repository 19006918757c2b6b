// SPDX-License-Identifier: Apache-2.0
import type { NoticesReply } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The functions of `sql/functions/notices` that the kernel calls. */
export const noticesFunctions = {
  dropNotices: kernelFunction()('kernel.drop_notices', { notices: sqlTypes.textArray }, { returns: 'nothing' }),
  takeNotices: kernelFunction<NoticesReply['notices']>()(
    'kernel.take_notices',
    { claim_ms: sqlTypes.bigint, rows: sqlTypes.integer },
    { returns: 'value' },
  ),
} as const;
