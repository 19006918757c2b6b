// SPDX-License-Identifier: Apache-2.0
import type { FunctionContext, OwnFunction } from './functions.ts';
import { NoEffectError, ProblemError, WritError } from './errors.ts';
import type { PermitsApi } from './generated/api-groups.ts';
import type { RedeemPermitAnswer, RedeemPermitBody, ReportFunctionBody } from './generated/types.ts';
import type { RequestOptions, Signal } from './options.ts';
import type { Platform } from './transport.ts';

/** Characters of the message of an error that are reported: the API takes no more. */
const MESSAGE_CHARACTERS_MAX = 2_048;
const NONCE_BYTES = 16;
/** A report that is lost makes a call ambiguous that was not: it is worth more attempts than other requests. */
const REPORT_MS = 120_000;
const REPORT_RETRIES = 50;

interface Needs {
  readonly permits: Pick<PermitsApi, 'takeOwn' | 'redeem' | 'renewLease' | 'reportFunction'>;
  readonly platform: Pick<Platform, 'sleep' | 'now'>;
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
  // The lease began no earlier than this, however often the request was repeated.
  const began = platform.now();
  const redeemed = await permits.redeem(proof, { signal });
  const stop = new AbortController();
  const renewing = renew({ permits, platform }, proof, { began, leaseMs: redeemed.lease_ms }, stop);
  const outcome = await outcomeOf(run, redeemed, contextOf(redeemed, stop.signal, signal));
  stop.abort(new WritError('the function has ended'));
  await renewing;
  // The caller's signal no longer counts: what happened must be reported, for as long as the lease can last.
  const timeoutMs = Math.max(redeemed.lease_ms, REPORT_MS);
  await permits.reportFunction({ ...proof, outcome }, { timeoutMs, retries: REPORT_RETRIES });
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

interface Lease {
  /** milliseconds since the epoch */
  readonly began: number;
  readonly leaseMs: number;
}

/**
 * Renews the lease until `stop` aborts, and aborts it where the call was stopped or the lease is lost. One renewal that
 * fails is no lost lease: that ends `leaseMs` after the last one that succeeded. Never rejects.
 */
async function renew(
  { permits, platform }: Needs,
  proof: RedeemPermitBody,
  { began, leaseMs }: Lease,
  stop: AbortController,
): Promise<void> {
  const { signal } = stop;
  let last = began;
  let next = last + leaseMs / 3;
  try {
    for (;;) {
      await platform.sleep(Math.max(0, next - platform.now()), signal);
      const asked = platform.now();
      const leftMs = last + leaseMs - asked;
      if (leftMs <= 0) return stop.abort(new WritError('the lease was lost: no renewal has succeeded in time'));
      const renewed = await attempt(() =>
        permits.renewLease(proof, { signal, timeoutMs: Math.min(leftMs, leaseMs / 3) }),
      );
      if (renewed === 'refused') return stop.abort(new WritError('the lease was lost: the call is no longer ours'));
      if (renewed === 'unanswered') next = platform.now() + leaseMs / 30;
      else if (renewed.stop) return stop.abort(new WritError('the call was stopped'));
      else [last, next] = [asked, asked + leaseMs / 3];
    }
  } catch {
    // The function has ended.
  }
}

/** An answer; else whether another attempt makes sense. */
async function attempt<T>(ask: () => Promise<T>): Promise<T | 'refused' | 'unanswered'> {
  try {
    return await ask();
  } catch (error) {
    return error instanceof ProblemError && error.problem?.retry === 'never' ? 'refused' : 'unanswered';
  }
}

/** 128 random bits in hexadecimal digits. */
const newNonce = (): string =>
  [...crypto.getRandomValues(new Uint8Array(NONCE_BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
