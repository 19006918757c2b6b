// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Change } from '@writ/contract';
import { BusExecutor, type ReceivedPermit, type AttemptCredentials } from '@writ/stack';

/** A redeemed attempt, which makes no progress by itself. */
export interface RedeemedAttempt {
  readonly received: ReceivedPermit;
  readonly credentials: AttemptCredentials;
  readonly base: string;
}

const OUTPUT = { exit_code: 0, signal: null, output: '', truncated_bytes: 0, wall_ms: 1 };

/** An honest executor that performs each step of a call when a test says so. */
export class ManualExecutor {
  readonly #executor: BusExecutor;

  constructor(executor: BusExecutor) {
    this.#executor = executor;
  }

  /** The next permit of the call; permits of other calls expire. */
  async permitOf(operationId: string, mode: 'run' | 'preview' = 'run'): Promise<ReceivedPermit> {
    for (;;) {
      const received = await this.#executor.next();
      if (received.permit.operation_id === operationId && received.permit.mode === mode) return received;
    }
  }

  async redeem(received: ReceivedPermit): Promise<RedeemedAttempt> {
    const nonce = BusExecutor.newNonce();
    const { state_snapshot_id } = await this.#executor.redeem(received.envelope, nonce);
    return { received, credentials: this.#executor.credentialsOf(received.permit, nonce), base: state_snapshot_id };
  }

  async renew({ credentials }: RedeemedAttempt): Promise<void> {
    await this.#executor.ask('kernel.renew', { v: 1, ...credentials });
  }

  /** Reports that the call created a file, and nothing else. */
  async reportFile({ credentials, base, received }: RedeemedAttempt, path: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const change: Change = { path, before: null, after: { kind: 'file', mode: '644', sha256, size: bytes.length } };
    await this.#executor.report(credentials, {
      delta: { v: 1, base, changes: [change] },
      contents: [bytes.toString('base64')],
      ...(received.lane === 'inline'
        ? { exit_code: null, result: { path, size: bytes.length, sha256, created: true } }
        : { result: OUTPUT }),
    });
  }
}
