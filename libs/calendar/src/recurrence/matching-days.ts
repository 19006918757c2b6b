// SPDX-License-Identifier: Apache-2.0
import { dateOf, dayOf, daysOfMonth, firstWeekOf, weekdayOf } from '../time/civil.ts';
import type { Rule } from './rule.ts';

/** A rule with what it takes from the start of the event: the parts that the table of RFC 5545, 3.3.10, leaves open. */
export function completedRule(rule: Rule, startDay: number): Rule {
  const { frequency, weekdays, monthDays, yearDays, weeks, months } = rule;
  const { month, date } = dateOf(startDay);
  const weekday = { weekday: weekdayOf(startDay), nth: 0 };
  if (weekdays.length > 0 || monthDays.length > 0 || yearDays.length > 0) return rule;
  if (frequency === 'WEEKLY' || weeks.length > 0) return { ...rule, weekdays: [weekday] };
  if (frequency === 'MONTHLY') return { ...rule, monthDays: [date] };
  if (frequency === 'YEARLY') return { ...rule, monthDays: [date], months: months.length > 0 ? months : [month] };
  return rule;
}

const has = (list: readonly number[], value: number, fromEnd: number): boolean =>
  list.length === 0 || list.includes(value) || list.includes(fromEnd);

/** Whether a day is one that the rule names by any of its parts that name days. The rule is a completed one. */
export function isMatchingDay(rule: Rule, day: number): boolean {
  const { year, month, date } = dateOf(day);
  if (rule.months.length > 0 && !rule.months.includes(month)) return false;
  if (rule.monthDays.length > 0 && !has(rule.monthDays, date, date - daysOfMonth(year, month) - 1)) return false;
  const yearDay = day - dayOf(year, 1, 1) + 1;
  const daysOfYear = dayOf(year + 1, 1, 1) - dayOf(year, 1, 1);
  if (rule.yearDays.length > 0 && !has(rule.yearDays, yearDay, yearDay - daysOfYear - 1)) return false;
  if (rule.weeks.length > 0 && !isMatchingWeek(rule, day, year)) return false;
  if (rule.weekdays.length === 0) return true;
  // 3.3.10: numbers count within the month if the rule is monthly, or names months; within the year else.
  const byMonth = rule.frequency === 'MONTHLY' || rule.months.length > 0;
  const [place, length] = byMonth ? [date, daysOfMonth(year, month)] : [yearDay, daysOfYear];
  const [nth, fromEnd] = [Math.ceil(place / 7), -Math.ceil((length - place + 1) / 7)];
  const weekday = weekdayOf(day);
  return rule.weekdays.some((wanted) => wanted.weekday === weekday && [0, nth, fromEnd].includes(wanted.nth));
}

/** A day at either end of a year may be of a week of the year beside it. */
function isMatchingWeek({ weeks, weekStart }: Rule, day: number, year: number): boolean {
  const weekYear = [year + 1, year].find((candidate) => firstWeekOf(candidate, weekStart) <= day) ?? year - 1;
  const first = firstWeekOf(weekYear, weekStart);
  const last = (firstWeekOf(weekYear + 1, weekStart) - first) / 7;
  const week = Math.floor((day - first) / 7) + 1;
  return has(weeks, week, week - last - 1);
}
