// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Change } from '@writ/contract';
import { BusExecutor, type Rung, type AttemptCredentials } from '@writ/stack';

/** An attempt that was redeemed, and goes no further by itself. */
export interface Taken {
  readonly rung: Rung;
  readonly speaker: AttemptCredentials;
  readonly base: string;
}

const OUTPUT = { exit_code: 0, signal: null, output: '', truncated_bytes: 0, wall_ms: 1 };

/** An honest executor that does each step of a call when a test says so. */
export class Hand {
  readonly #executor: BusExecutor;

  constructor(executor: BusExecutor) {
    this.#executor = executor;
  }

  /** The next permit of the call; those of others are let expire. */
  async permitOf(operationId: string, mode: 'run' | 'preview' = 'run'): Promise<Rung> {
    for (;;) {
      const rung = await this.#executor.next();
      if (rung.permit.operation_id === operationId && rung.permit.mode === mode) return rung;
    }
  }

  async redeem(rung: Rung): Promise<Taken> {
    const nonce = BusExecutor.newNonce();
    const { state_snapshot_id } = await this.#executor.redeem(rung.envelope, nonce);
    return { rung, speaker: this.#executor.speakerOf(rung.permit, nonce), base: state_snapshot_id };
  }

  async renew({ speaker }: Taken): Promise<void> {
    await this.#executor.ask('kernel.renew', { v: 1, ...speaker });
  }

  /** Reports that the call made a file, and nothing else. */
  async reportFile({ speaker, base, rung }: Taken, path: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const change: Change = { path, before: null, after: { kind: 'file', mode: '644', sha256, size: bytes.length } };
    await this.#executor.report(speaker, {
      delta: { v: 1, base, changes: [change] },
      contents: [bytes.toString('base64')],
      ...(rung.lane === 'inline'
        ? { exit_code: null, result: { path, size: bytes.length, sha256, created: true } }
        : { result: OUTPUT }),
    });
  }
}
