// SPDX-License-Identifier: Apache-2.0
//
// A worker that runs a function of your own under permits of Writ. It needs Node 24 and no package.
// WRIT_URL is the address of the API, WRIT_WORKER_KEY a key of the role `worker`.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const url = process.env['WRIT_URL'] ?? 'http://127.0.0.1:8080';
const key = process.env['WRIT_WORKER_KEY'] ?? '';

type Outcome =
  | { readonly outcome: 'succeeded'; readonly result: unknown }
  | { readonly outcome: 'failed' | 'unknown'; readonly message: string };

/** Sends a request until it is answered: each of them may be repeated. Throws where the answer is a problem. */
async function send(path: string, body: unknown): Promise<any> {
  for (let pause = 200; ; pause = Math.min(2 * pause, 5_000)) {
    try {
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const json: any = await answer.json();
      if (answer.ok) return json;
      if (answer.status < 500 && answer.status !== 429) throw Object.assign(new Error(json.code), { code: json.code });
    } catch (error) {
      if (error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.includes('.'))
        throw error;
    }
    await sleep(pause);
  }
}

/** Your function. `operation` identifies the call, so that an idempotent one can drop a repetition. */
async function charge(args: any, operation: string): Promise<Outcome> {
  if (args.customer === 'c-0') return { outcome: 'failed', message: 'there is no such customer' };
  return { outcome: 'succeeded', result: { charge: `${operation}-${args.cents}` } };
}

for (;;) {
  const { permit } = await send('/v1/worker/permits?wait=30000', {});
  if (permit === null) continue;
  const proof = { permit, nonce: randomBytes(16).toString('hex') };
  try {
    const call = await send('/v1/worker/redemptions', proof);
    const lease = setInterval(() => void send('/v1/worker/renewals', proof).catch(() => undefined), call.lease_ms / 3);
    const outcome = await charge(call.args, call.operation_id).catch((error: unknown): Outcome => ({
      outcome: 'unknown',
      message: String(error).slice(0, 2_000),
    }));
    clearInterval(lease);
    console.log(call.operation_id, await send('/v1/worker/reports', { ...proof, outcome }));
  } catch (error) {
    // Another worker has it, or it was ended: there is nothing more to do for this call.
    console.error(String(error));
  }
}
