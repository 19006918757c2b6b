// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { administration } from '../words/administration.ts';
import styles from './bar-chart.module.css';
import type { Series, Stacks } from './bars.ts';

const words = administration.usage;
/** Series that have a colour of their own. */
export const COLOURS = 5;
const [WIDTH, HEIGHT, GAP] = [720, 160, 0.25];

interface ChartGiven {
  readonly caption: string;
  readonly days: readonly string[];
  readonly stacks: Stacks;
  readonly nameOf: (of: string | null) => ReactNode;
}

interface Named extends Series {
  readonly colour: number;
  readonly name: ReactNode;
}

/** Bars by day, one series upon another. Whoever doesn't see them, or wants numbers, has the same as a table. */
export function BarChart({ caption, days, stacks, nameOf }: ChartGiven): ReactNode {
  const all: readonly Named[] = [
    ...stacks.series.map((series, at) => ({ ...series, colour: at, name: nameOf(series.of) })),
    ...(stacks.others === null ? [] : [{ ...stacks.others, colour: COLOURS, name: words.others }]),
  ];
  return (
    <figure className={styles['figure']}>
      <figcaption>{caption}</figcaption>
      <ul className={styles['legend']}>
        {all.map(({ colour, name, total }) => (
          <li key={colour}>
            <span className={styles['mark']} data-colour={colour} /> {name} <b>{total.toLocaleString('en')}</b>
          </li>
        ))}
      </ul>
      <div className={styles['plot']}>
        <span className={styles['max']}>{stacks.max.toLocaleString('en')}</span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className={styles['svg']} aria-hidden="true">
          <Bars days={days} all={all} max={stacks.max} />
        </svg>
        <div className={styles['ends']} aria-hidden="true">
          <span>{days[0]}</span>
          <span>{days.at(-1)}</span>
        </div>
      </div>
      <details>
        <summary>{words.table}</summary>
        <Numbers caption={caption} days={days} all={all} totals={stacks.totals} />
      </details>
    </figure>
  );
}

interface BarsGiven {
  readonly days: readonly string[];
  readonly all: readonly Named[];
  readonly max: number;
}

function Bars({ days, all, max }: BarsGiven): ReactNode {
  const step = WIDTH / days.length;
  return days.map((day, at) => {
    let top = HEIGHT;
    return (
      <g key={day}>
        {all.map(({ colour, values }) => {
          const height = max === 0 ? 0 : ((values[at] ?? 0) / max) * HEIGHT;
          top -= height;
          return height === 0 ? null : (
            <rect
              key={colour}
              className={styles['bar']}
              data-colour={colour}
              x={(at + GAP / 2) * step}
              y={top}
              width={step * (1 - GAP)}
              height={height}
            />
          );
        })}
      </g>
    );
  });
}

interface NumbersGiven extends Omit<BarsGiven, 'max'> {
  readonly caption: string;
  readonly totals: readonly number[];
}

const Numbers = ({ caption, days, all, totals }: NumbersGiven): ReactNode => (
  <div className={styles['scroll']} tabIndex={0} role="region" aria-label={caption}>
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">{words.day}</th>
          {all.map(({ colour, name }) => (
            <th key={colour} scope="col">
              {name}
            </th>
          ))}
          <th scope="col">{words.total}</th>
        </tr>
      </thead>
      <tbody>
        {days.map((day, at) => (
          <tr key={day}>
            <th scope="row">{day}</th>
            {all.map(({ colour, values }) => (
              <td key={colour}>{(values[at] ?? 0).toLocaleString('en')}</td>
            ))}
            <td>{(totals[at] ?? 0).toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
