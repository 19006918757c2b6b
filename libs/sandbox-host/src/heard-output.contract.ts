// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTRACT_LIMITS } from '@writ/sandbox/contract';
import type { Sandbox, SandboxJob, SandboxResult } from '@writ/sandbox';

const MIB = 1024 * 1024;

export interface HeardTraits {
  /** bytes that may be under way between a container and its listener, buffers of the engine's included */
  readonly underWayMax: number;
}

/** How output is heard of every sandbox of containers, whatever its engine. `open` is called once. */
export function heardOutputContract(
  name: string,
  open: () => Promise<{ readonly sandbox: Sandbox; readonly image: string }>,
  { underWayMax }: HeardTraits,
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
          limits: { ...CONTRACT_LIMITS, heardBytes: 16 * MIB, ...limits },
          ...(tap === undefined ? {} : { tap }),
        },
        new AbortController().signal,
      );

    it('a container whose listener is slow waits for it, and next to nothing of its flood is under way', async () => {
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
        unheardBytes: 0,
        truncatedBytes: 4_000_000 - CONTRACT_LIMITS.outputBytes,
      });
      expect(heard).toBe(4_000_000);
      expect(most).toBeLessThan(underWayMax);
    }, 240_000);

    it('a listener that never lets it go on costs the command its time, and nobody else any', async () => {
      const stuck = run('head -c 12000000 /dev/zero', { wallMs: 2_000 }, () => new Promise(() => undefined));
      expect(await run('echo other', {}, undefined)).toMatchObject({ ended: 'exited', exitCode: 0 });
      expect(await stuck).toMatchObject({ ended: 'timeout', reason: 'wall' });
    }, 240_000);

    it('what waits for its listener is not silent, whatever else was read with it', async () => {
      let pieces = 0;
      const result = await run(
        'for i in $(seq 1 500); do echo $i; done; head -c 3000000 /dev/zero',
        { idleMs: 5_000 },
        () => {
          pieces += 1;
          // One lets go at once, and one later than what has begun the wait.
          if (pieces === 1) return sleep(8_000);
          return pieces === 2 ? sleep(1) : undefined;
        },
      );
      expect(result).toMatchObject({ ended: 'exited', unheardBytes: 0 });
    }, 240_000);
  });
}
