// SPDX-License-Identifier: Apache-2.0
import { SLOS } from '../dashboards/slos.ts';
import { code, table } from './table.ts';

/** The table of objectives, from the recording rules. */
export const objectivesTable = (): string =>
  table(
    ['objective', 'label `slo`', 'of all cases', 'good is'],
    SLOS.map(({ title, name, objective, good }) => [
      title,
      code(name),
      `${String(Math.round(objective * 1e5) / 1e3)} %`,
      good,
    ]),
  );
