// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTRACT_LIMITS } from '@writ/sandbox/contract';
import type { Sandbox, SandboxJob, SandboxResult } from '@writ/sandbox';

const MIB = 1024 * 1024;

export interface OutputTraits {
  /** bytes that may be in transit between a container and its listener, buffers of the engine included */
  readonly inTransitBytesMax: number;
}

/** The contract for how output of containers is consumed, for every engine. `open` is called once. */
export function backPressureContract(
  name: string,
  open: () => Promise<{ readonly sandbox: Sandbox; readonly image: string }>,
  { inTransitBytesMax }: OutputTraits,
): void {
  describe(name, () => {
    let sandbox: Sandbox;
    let image: string;
    beforeAll(async () => {
      ({ sandbox, image } = await open());
    }, 240_000);
    afterAll(() => sandbox.close());

    const run = (
      command: string,
      limits: Partial<SandboxJob['limits']>,
      tap: SandboxJob['tap'],
    ): Promise<SandboxResult> =>
      sandbox.run(
        {
          image,
          command,
          files: [],
          cwd: '',
          env: {},
          labels: {},
          limits: { ...CONTRACT_LIMITS, tapBytes: 16 * MIB, ...limits },
          ...(tap === undefined ? {} : { tap }),
        },
        new AbortController().signal,
      );

    it('a container with a slow listener waits for it, and almost nothing of its flood is in transit', async () => {
      let [heard, under, most] = [0, 0, 0];
      const result = await run('head -c 4000000 /dev/zero', {}, async ({ bytes }) => {
        heard += bytes.length;
        under += bytes.length;
        most = Math.max(most, under);
        await sleep(5);
        under -= bytes.length;
      });
      expect(result).toMatchObject({
        ended: 'exited',
        exitCode: 0,
        untappedBytes: 0,
        truncatedBytes: 4_000_000 - CONTRACT_LIMITS.outputBytes,
      });
      expect(heard).toBe(4_000_000);
      expect(most).toBeLessThan(inTransitBytesMax);
    }, 240_000);

    it('a listener that never resumes delays only its own command', async () => {
      const stuck = run('head -c 12000000 /dev/zero', { wallMs: 2_000 }, () => new Promise(() => undefined));
      expect(await run('echo other', {}, undefined)).toMatchObject({ ended: 'exited', exitCode: 0 });
      expect(await stuck).toMatchObject({ ended: 'timeout', reason: 'wall' });
    }, 240_000);

    it('output that waits for its listener does not count as silence', async () => {
      let pieces = 0;
      const result = await run(
        'for i in $(seq 1 500); do echo $i; done; head -c 3000000 /dev/zero',
        { idleMs: 5_000 },
        () => {
          pieces += 1;
          // One promise resolves at once, and another later than the one that started the wait.
          if (pieces === 1) return sleep(8_000);
          return pieces === 2 ? sleep(1) : undefined;
        },
      );
      expect(result).toMatchObject({ ended: 'exited', untappedBytes: 0 });
    }, 240_000);
  });
}
