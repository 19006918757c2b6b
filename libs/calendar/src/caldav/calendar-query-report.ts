// SPDX-License-Identifier: Apache-2.0
import { rfc3339 } from '../time/civil.ts';

const DAY = 86_400;

/** Date with UTC time, as RFC 4791, 9.9, wants it: no member of it is text of a caller. */
const basicTime = (utcSeconds: number): string =>
  rfc3339(utcSeconds, 0)
    .replace(/\+00:00$/, 'Z')
    .replace(/[-:]/g, '');

/**
 * The body of a `calendar-query` REPORT (RFC 4791, 7.8) for events in a range in UTC. It asks for a day more at both
 * ends, since servers differ in what they take floating times for. It asks for whole objects and not for `expand`,
 * which would answer times in UTC without their zones.
 */
export function calendarQueryReport(from: number, to: number): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">',
    '<D:prop><D:getetag/><C:calendar-data/></D:prop>',
    '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">',
    `<C:time-range start="${basicTime(from - DAY)}" end="${basicTime(to + DAY)}"/>`,
    '</C:comp-filter></C:comp-filter></C:filter>',
    '</C:calendar-query>',
  ].join('');
}
