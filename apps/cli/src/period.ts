// SPDX-License-Identifier: Apache-2.0
import { periodMs } from '@writ/nest-kit/times';
import { usage } from './cli-error.ts';

export const HOUR_MS = 3_600_000;

/** The milliseconds of an option such as `30m`. @throws CliError `usage` */
export function parsePeriod(option: string, text: string): number {
  const period = periodMs(text);
  if (period === null) throw usage(`\`${option} ${text}\` is no period: write 90s, 30m, 12h or 7d`);
  return period;
}
