// SPDX-License-Identifier: Apache-2.0
import { usage } from './cli-error.ts';

export const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: HOUR_MS, d: 86_400_000 };

/** The milliseconds of an option such as `30m`. @throws CliError `usage` */
export function parsePeriod(option: string, text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw usage(`\`${option} ${text}\` is no period: write 90s, 30m, 12h or 7d`);
  return Number(count) * (UNIT_MS[unit] as number);
}
