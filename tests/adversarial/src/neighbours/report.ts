// SPDX-License-Identifier: Apache-2.0
import type { Observation } from './attack.ts';
import type { LoopFigures } from './event-loops.ts';
import { p99, type Reader } from './reader.ts';

/** Figures of the whole measurement. */
interface Measured {
  readonly referenceMs: number;
  readonly slowness: number;
  readonly otherMs: number;
  readonly reader: Reader;
}

/** The figures of each input, sorted by the longest block of the other tenant. */
export function reportOf(seen: readonly Observation[], { referenceMs, slowness, otherMs, reader }: Measured): string {
  const processes = Object.keys(seen[0]?.loops ?? {});
  const lines = seen
    .map((each) => ({ ...each, otherMs: p99(reader.between(each.span)) }))
    .sort((a, b) => worstOf(b) - worstOf(a))
    .map((each) =>
      [
        whole(each.otherMs),
        ...processes.map((name) => cellOf(each.loops[name])),
        each.ms === null ? 'never' : whole(each.ms),
        `${each.name} (${[...new Set(each.answers)].join(', ')})`,
      ]
        .map((cell, column) => (column <= processes.length + 1 ? cell.padStart(14) : ` ${cell}`))
        .join(''),
    );
  return [
    `the other tenant: ${reader.readings.length} calls, p99 ${whole(otherMs)} ms`,
    `beside busy programs: ${whole(referenceMs)} ms; the machine was ${slowness.toFixed(1)} times as slow as then`,
    'in milliseconds, the worst first; of each process the work of its event loop, and the delay:',
    ['its calls', ...processes, 'own answer'].map((head) => head.padStart(14)).join(''),
    ...lines,
    '',
  ].join('\n');
}

/** The sort key: the longest block that an input caused for anybody else. */
const worstOf = ({ otherMs, loops }: Pick<Observation, 'loops'> & { readonly otherMs: number }): number =>
  Math.max(0, ...[otherMs, ...Object.values(loops).map(({ workMs }) => workMs)].filter((ms) => !Number.isNaN(ms)));

const cellOf = (figures: LoopFigures | undefined): string =>
  figures === undefined ? '-' : `${whole(figures.workMs)}/${whole(figures.delayMs)}`;

const whole = (ms: number): string => (Number.isNaN(ms) ? '-' : String(Math.round(ms)));
