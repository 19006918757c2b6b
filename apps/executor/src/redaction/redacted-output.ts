// SPDX-License-Identifier: Apache-2.0
import type { SandboxResult } from '@writ/sandbox';
import { instead, type Values } from './redactor.ts';

type Output = Pick<SandboxResult, 'output' | 'truncatedBytes'>;

/**
 * What a command wrote, without values: neither where they stand in what is told, both streams as they came, nor where
 * they stand in one stream by itself with the other's pieces between theirs.
 */
export function redactedOutput({ output, truncatedBytes }: Output, values: Values): Buffer {
  const all = Buffer.concat(output.map(({ bytes }) => bytes));
  const names: (string | undefined)[] = [];
  const cut = truncatedBytes > 0;
  for (const places of [Array.from(all.keys()), ...streamsOf(output)]) {
    const bytes = Buffer.from(places.map((place) => all.readUInt8(place)));
    for (const { start, end, name } of values.ranges(bytes, cut))
      for (const place of places.slice(start, end)) names[place] ??= name;
  }
  const parts: Buffer[] = [];
  for (let at = 0; at < all.length;) {
    const [name, from] = [names[at], at];
    while (at < all.length && names[at] === name) at += 1;
    parts.push(name === undefined ? all.subarray(from, at) : Buffer.from(instead(name)));
  }
  return Buffer.concat(parts);
}

/** Where the bytes of each stream stand among all. */
function streamsOf(output: Output['output']): readonly (readonly number[])[] {
  const streams = new Map<string, number[]>();
  let at = 0;
  for (const { stream, bytes } of output) {
    const places = streams.get(stream) ?? [];
    streams.set(stream, places);
    for (let index = 0; index < bytes.length; index++) places.push(at + index);
    at += bytes.length;
  }
  return [...streams.values()];
}
