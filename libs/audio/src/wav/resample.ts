// SPDX-License-Identifier: Apache-2.0
import { SAMPLE_RATE_HZ } from '../pcm.ts';

/** Zero crossings of the kernel on each side: enough that aliases stay below −60 dB. */
const CROSSINGS = 12;
/** Positions between two input samples for which the kernel is computed; the error between two is below −60 dB. */
const PHASES = 256;
/** The part of the band that is kept: the rest is where the filter falls off. */
const ROLL_OFF = 0.92;

interface Kernel {
  readonly half: number;
  /** a row of 2 × half weights for each phase */
  readonly rows: readonly Float32Array[];
}

/** A windowed sinc (Hann). Where the rate falls, it also removes what the lower rate cannot carry. */
function kernelOf(rateHz: number): Kernel {
  const cutoff = Math.min(1, SAMPLE_RATE_HZ / rateHz) * ROLL_OFF;
  const half = Math.ceil(CROSSINGS / cutoff);
  const rows = Array.from({ length: PHASES + 1 }, (_, phase) => {
    const row = new Float32Array(2 * half);
    let sum = 0;
    for (let k = 0; k < row.length; k++) {
      const x = k - half + 1 - phase / PHASES;
      const window = Math.abs(x) >= half ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * x) / half);
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * cutoff * x) / (Math.PI * cutoff * x);
      sum += row[k] = sinc * window;
    }
    // A constant stays what it is.
    return row.map((weight) => weight / sum);
  });
  return { half, rows };
}

/**
 * Converts mono samples to 16 kHz. Costs at most 24 × 12 multiplications per output sample, for 192 kHz.
 *
 * @param rateHz the rate of the samples, 4 to 192 kHz
 */
export function resample(samples: Float32Array, rateHz: number): Float32Array {
  const { half, rows } = kernelOf(rateHz);
  const output = new Float32Array(Math.floor((samples.length * SAMPLE_RATE_HZ) / rateHz));
  for (let i = 0; i < output.length; i++) {
    const position = (i * rateHz) / SAMPLE_RATE_HZ;
    const base = Math.floor(position);
    const row = rows[Math.round((position - base) * PHASES)] as Float32Array;
    let sum = 0;
    for (let k = 0; k < row.length; k++) sum += (row[k] as number) * (samples[base + k - half + 1] ?? 0);
    output[i] = Math.max(-1, Math.min(1, sum));
  }
  return output;
}
