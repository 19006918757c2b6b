// SPDX-License-Identifier: Apache-2.0
export { Calendar, type CalendarOptions } from './calendar.ts';
export { CalendarError, type CalendarReason } from './calendar-error.ts';
export { parseQuery, type CalendarRange, type CalendarSearch, type ParsedQuery } from './calendar-query.ts';
export { STEP_LIMITS } from './find-events.ts';
export type { CalendarCredentials, CalendarReply, CalendarRequest, SendCalendarRequest } from './http.ts';
export { CALENDAR_LIMITS } from './ics/read-calendar.ts';
export { searchReply, type ReplySearch } from './search-reply.ts';
