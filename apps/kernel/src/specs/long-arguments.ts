// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { ProposedCall } from '@writ/contract';
import { ARGUMENTS_ATTEMPT, KEY_BYTES, sealContent, sealedRef } from '@writ/sealing';
import type { SentCall } from '../admission/admit/proposal.ts';
import type { TestKernel } from './test-kernel.ts';

/**
 * The call with its arguments stored as an API stores long ones, sealed under a key for them.
 * @param text the arguments in another spelling
 */
export async function withSealedArguments(
  { blobs }: Pick<TestKernel, 'blobs'>,
  call: ProposedCall,
  text = JSON.stringify(call.args),
): Promise<SentCall> {
  const key = randomBytes(KEY_BYTES);
  const sealed = sealContent(
    { key, tenantId: call.tenant_id, operationId: call.operation_id, attempt: ARGUMENTS_ATTEMPT },
    'args',
    Buffer.from(text),
  );
  return {
    ...call,
    args: null,
    args_ref: sealedRef(await blobs.put(call.tenant_id, sealed)),
    args_key: key.toString('base64'),
  };
}

/** The call with its arguments stored in clear, as an API did before arguments were sealed. */
export async function withPlainArguments({ blobs }: Pick<TestKernel, 'blobs'>, call: ProposedCall): Promise<SentCall> {
  return { ...call, args: null, args_ref: await blobs.put(call.tenant_id, Buffer.from(JSON.stringify(call.args))) };
}
