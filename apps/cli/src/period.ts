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

/** A moment unchanged; a period as the moment that long ago. @throws CliError `usage` */
export function momentBefore(option: string, text: string | undefined): string | undefined {
  if (text === undefined || text.includes('T')) return text;
  return new Date(Date.now() - parsePeriod(option, text)).toISOString();
}
