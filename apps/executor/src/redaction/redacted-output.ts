// SPDX-License-Identifier: Apache-2.0
import type { SandboxResult } from '@writ/sandbox';
import { markerOf, type SecretValues } from './redactor.ts';

type Output = Pick<SandboxResult, 'output' | 'truncatedBytes'>;

/**
 * The output of a command without secret values. Values are found in both streams interleaved as shown, and in each
 * stream by itself with the other's pieces in between.
 */
export function redactedOutput({ output, truncatedBytes }: Output, values: SecretValues): Buffer {
  const all = Buffer.concat(output.map(({ bytes }) => bytes));
  const names: (string | undefined)[] = [];
  const cut = truncatedBytes > 0;
  for (const positions of [Array.from(all.keys()), ...streamsOf(output)]) {
    const bytes = Buffer.from(positions.map((position) => all.readUInt8(position)));
    for (const { start, end, name } of values.ranges(bytes, cut))
      for (const position of positions.slice(start, end)) names[position] ??= name;
  }
  const parts: Buffer[] = [];
  for (let at = 0; at < all.length;) {
    const [name, from] = [names[at], at];
    while (at < all.length && names[at] === name) at += 1;
    parts.push(name === undefined ? all.subarray(from, at) : Buffer.from(markerOf(name)));
  }
  return Buffer.concat(parts);
}

/** The positions of each stream's bytes in the whole output. */
function streamsOf(output: Output['output']): readonly (readonly number[])[] {
  const streams = new Map<string, number[]>();
  let at = 0;
  for (const { stream, bytes } of output) {
    const positions = streams.get(stream) ?? [];
    streams.set(stream, positions);
    for (let index = 0; index < bytes.length; index++) positions.push(at + index);
    at += bytes.length;
  }
  return [...streams.values()];
}
