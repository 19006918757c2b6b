// SPDX-License-Identifier: Apache-2.0
import { fit } from './align.ts';

/** Evidence of a word that is heard from a probe on. */
const from = (step: number, probes: number, gain = 5) => ({
  heard: Float32Array.from({ length: probes }, (_, i) => (i >= step ? 1 : 0)),
  gain,
});
const times = Array.from({ length: 10 }, (_, i) => i * 3_072);

describe('the steps at which words begin to be heard', () => {
  it('are those of the evidence', () => {
    expect(fit([from(1, 10), from(4, 10), from(8, 10)], times, [0, 9_000, 20_000])).toEqual([1, 4, 8]);
  });

  it('never fall: a word that others give away too early stays after the word before it', () => {
    const steps = fit(
      [from(2, 10), from(6, 10), from(1, 10, 0.5), from(8, 10)],
      times,
      [3_000, 15_000, 19_000, 24_000],
    );
    expect(steps).toEqual([2, 6, 6, 8]);
  });

  it('are where the word is expected if the evidence tells nothing', () => {
    const nothing = { heard: new Float32Array(10).fill(1), gain: 0 };
    expect(fit([from(0, 10), nothing, from(9, 10)], times, [0, 5 * 3_072, 9 * 3_072])).toEqual([0, 5, 9]);
  });
});
