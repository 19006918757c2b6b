// SPDX-License-Identifier: Apache-2.0
import type { Seen } from './attack.ts';
import type { LoopFigures } from './event-loops.ts';
import { p99, type Reader } from './reader.ts';

/** What was measured beside the single inputs. */
interface Measured {
  readonly referenceMs: number;
  readonly slowness: number;
  readonly otherMs: number;
  readonly reader: Reader;
}

/** The figures of each input, those that held up the other tenant longest first. */
export function reportOf(seen: readonly Seen[], { referenceMs, slowness, otherMs, reader }: Measured): string {
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

/** What sorts them: the longest that anybody else was held up by an input. */
const worstOf = ({ otherMs, loops }: Pick<Seen, 'loops'> & { readonly otherMs: number }): number =>
  Math.max(0, ...[otherMs, ...Object.values(loops).map(({ workMs }) => workMs)].filter((ms) => !Number.isNaN(ms)));

const cellOf = (figures: LoopFigures | undefined): string =>
  figures === undefined ? '-' : `${whole(figures.workMs)}/${whole(figures.delayMs)}`;

const whole = (ms: number): string => (Number.isNaN(ms) ? '-' : String(Math.round(ms)));
