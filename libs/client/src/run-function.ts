// SPDX-License-Identifier: Apache-2.0
import type { FunctionContext, OwnFunction } from './functions.ts';
import { NoEffectError, WritError } from './errors.ts';
import type { PermitsApi } from './generated/api-groups.ts';
import type { RedeemPermitAnswer, RedeemPermitBody, ReportFunctionBody } from './generated/types.ts';
import type { RequestOptions, Signal } from './options.ts';
import type { Platform } from './transport.ts';

/** Characters of the message of an error that are reported: the API takes no more. */
const MESSAGE_CHARACTERS_MAX = 2_048;
const NONCE_BYTES = 16;

interface Needs {
  readonly permits: Pick<PermitsApi, 'takeOwn' | 'redeem' | 'renewLease' | 'reportFunction'>;
  readonly platform: Pick<Platform, 'sleep'>;
}

/**
 * Runs a function of this process for a call that was admitted, under its permit. Resolves when it is reported.
 * INVARIANT (no permit, no run): the function runs only after its permit was redeemed, once, and with the arguments
 * that were decided on.
 */
export async function runOwn(
  { permits, platform }: Needs,
  operationId: string,
  run: OwnFunction,
  { signal }: Pick<RequestOptions, 'signal'>,
): Promise<void> {
  const { permit } = await permits.takeOwn({ operation_id: operationId }, { signal });
  // Another process of this agent has it.
  if (permit === null) return;
  const proof: RedeemPermitBody = { permit, nonce: newNonce() };
  const redeemed = await permits.redeem(proof, { signal });
  const stop = new AbortController();
  const renewing = renew({ permits, platform }, proof, redeemed, stop);
  const outcome = await outcomeOf(run, redeemed, contextOf(redeemed, stop.signal, signal));
  stop.abort(new WritError('the function has ended'));
  await renewing;
  // The caller's signal no longer counts: what happened must be reported.
  await permits.reportFunction({ ...proof, outcome });
}

function contextOf({ operation_id, attempt }: RedeemPermitAnswer, stop: AbortSignal, own?: Signal): FunctionContext {
  const signal = own === undefined ? stop : AbortSignal.any([stop, own as AbortSignal]);
  return { operationId: operation_id, attempt, signal };
}

async function outcomeOf(
  run: OwnFunction,
  { args }: RedeemPermitAnswer,
  context: FunctionContext,
): Promise<ReportFunctionBody['outcome']> {
  try {
    return { outcome: 'succeeded', result: (await run(args, context)) ?? null };
  } catch (error) {
    const text = error instanceof Error && error.message !== '' ? error.message : 'the function failed';
    // Unless the function says otherwise, something may have taken effect.
    const outcome = error instanceof NoEffectError ? 'failed' : 'unknown';
    return { outcome, message: text.slice(0, MESSAGE_CHARACTERS_MAX) };
  }
}

/** Renews the lease until `stop` aborts, and aborts it where the call was stopped. Never rejects. */
async function renew(
  { permits, platform }: Needs,
  proof: RedeemPermitBody,
  { lease_ms }: RedeemPermitAnswer,
  stop: AbortController,
): Promise<void> {
  try {
    for (;;) {
      await platform.sleep(lease_ms / 3, stop.signal);
      const { stop: isStopped } = await permits.renewLease(proof, { signal: stop.signal });
      if (isStopped) return stop.abort(new WritError('the call was stopped'));
    }
  } catch {
    // The function has ended, or its lease is lost: the report then says so.
  }
}

/** 128 random bits in hexadecimal digits. */
const newNonce = (): string =>
  [...crypto.getRandomValues(new Uint8Array(NONCE_BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
