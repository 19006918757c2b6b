// SPDX-License-Identifier: Apache-2.0
import type { NoticesReply } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The functions of `sql/functions/notices` that the kernel calls. */
export const noticesFunctions = {
  claimNotices: kernelFunction<NoticesReply['notices']>()(
    'kernel.claim_notices',
    { claim_ms: sqlTypes.bigint, rows: sqlTypes.integer },
    { returns: 'value' },
  ),
  takeNotices: kernelFunction<NoticesReply['notices']>()(
    'kernel.take_notices',
    { claim_ms: sqlTypes.bigint, rows: sqlTypes.integer },
    { returns: 'value' },
  ),
  dropNotices: kernelFunction()('kernel.drop_notices', { notices: sqlTypes.textArray }, { returns: 'nothing' }),
} as const;
