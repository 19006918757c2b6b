// SPDX-License-Identifier: Apache-2.0
// Arguments of the tools of calendars and mail: whatever a caller writes is either called wrong, or means one thing.
import fc from 'fast-check';
import type { BoundResource } from '../resources/resource-kinds.ts';
import { CALENDAR_FIND } from './calendar.ts';
import type { ToolDefinition } from './definition.ts';
import { draftOf, EMAIL_DRAFT, EMAIL_FIND } from './email.ts';
import { argumentFaults, bindTool, definitionForDigest, targetsOf } from './registry.ts';

const resource = (kind: 'calendar' | 'mailbox', settings: Record<string, unknown>): BoundResource => ({
  resource_id: `res_${'0'.repeat(26)}`,
  kind,
  name: 'default',
  owner_agent_id: null,
  settings,
  digest: 'a'.repeat(64),
});
const MAILBOX = {
  host: 'imap.example.org',
  port: 993,
  tls: 'implicit',
  username: 'a',
  secret: 'S',
  address: 'a@b.org',
};
const calendar = bindTool(CALENDAR_FIND, [resource('calendar', { kind: 'ics', url: 'https://a.example.org/c.ics' })]);
const find = bindTool(EMAIL_FIND, [resource('mailbox', MAILBOX)]);
const draft = bindTool(EMAIL_DRAFT, [resource('mailbox', MAILBOX)]);
const RANGE = { start: '2026-03-29T00:00:00Z', end: '2026-03-30T00:00:00Z' };
const DRAFT = { to: 'grace@example.org', subject: 'Hello', body: 'Dear Grace' };

/** Texts that are nearly right, and any others. */
const text = fc.oneof(
  fc.constantFrom(
    RANGE.start,
    RANGE.end,
    '2026-02-30T00:00:00Z',
    '2026-03-29',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59+00:00',
    'Europe/Berlin',
    'a@b.org',
    'a@b.org\r\nBcc: c@d.org',
    '=?utf-8?q?x?=',
    '\ud800',
    '2026-13-01',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
const argsOf = (tool: ToolDefinition, usual: Readonly<Record<string, unknown>>) =>
  fc
    .record(Object.fromEntries(Object.keys(tool.parameters.properties).map((name) => [name, value])), {
      requiredKeys: [],
    })
    .map((args) => ({ ...usual, ...args }));
const ranges = fc.record({ start: text, end: text });

/** What the kernel computes of any arguments, before and after it knows that they fit. */
function computed(tool: ToolDefinition, args: Readonly<Record<string, unknown>>): boolean {
  for (const { ref } of targetsOf(tool, args)) expect(ref.length).toBeLessThanOrEqual(128);
  const wrong = argumentFaults(tool, args);
  for (const { pointer, message } of wrong)
    expect([pointer, message]).toEqual([expect.any(String), expect.any(String)]);
  expect(tool.requests?.(args)).toHaveLength(1);
  return wrong.length === 0;
}

test('any arguments of `calendar.find` are called wrong, or have a range of real times', () => {
  fc.assert(
    fc.property(fc.oneof(argsOf(calendar, { range: RANGE }), fc.record({ range: ranges })), (args) => {
      if (!computed(calendar, args)) return;
      const { start, end } = args.range as typeof RANGE;
      expect(Date.parse(end)).toBeGreaterThan(Date.parse(start));
    }),
    { numRuns: 2_000 },
  );
});

test('any arguments of `email.find` are called wrong, or fit a search', () => {
  fc.assert(
    fc.property(argsOf(find, {}), (args) => void computed(find, args)),
    { numRuns: 2_000 },
  );
});

test('any arguments of `email.draft` are called wrong, or are a draft that no header of its own enters', () => {
  fc.assert(
    fc.property(argsOf(draft, DRAFT), (args) => {
      if (!computed(draft, args)) return;
      const { to, cc = [], bcc = [], subject, body } = draftOf(args);
      expect([...to, ...cc, ...bcc, subject].join('')).not.toMatch(/[\r\n\0]|=\?/);
      expect(subject.isWellFormed() && body.isWellFormed()).toBe(true);
      const { count, outside } = draft.addressees?.(args) ?? { count: 0, outside: [] };
      expect(count).toBe(new Set([...to, ...cc, ...bcc]).size);
      for (const address of outside) expect(address.toLowerCase().endsWith('@b.org')).toBe(false);
      expect(draft.foresees?.(args)).toEqual({ draft: { from: 'a@b.org', ...draftOf(args) } });
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['a day that does not exist', { ...RANGE, start: '2026-02-30T00:00:00Z' }, '/range/start'],
  ['a time without an offset', { ...RANGE, end: '2026-03-30T00:00:00' }, '/range/end'],
  ['an end before the start', { start: RANGE.end, end: RANGE.start }, '/range/end'],
  ['eleven years', { start: '2020-01-01T00:00:00Z', end: '2031-01-01T00:00:00Z' }, '/range'],
])('a range with %s is called wrong', (_what, range, pointer) => {
  expect(argumentFaults(calendar, { range })).toMatchObject([{ pointer }]);
});

test.each([
  ['/subject', { ...DRAFT, subject: 'pay \u202e00001 RUE' }],
  ['/subject', { ...DRAFT, subject: 'a\u200bb' }],
  ['/body', { ...DRAFT, body: 'a\u2066b' }],
])('a draft whose %s is not shown as it is stored is called wrong', (pointer, args) => {
  expect(argumentFaults(draft, args)).toMatchObject([{ pointer }]);
});

test('one recipient may stand without a list, and the reference without a name is implied', () => {
  expect(argumentFaults(draft, DRAFT)).toEqual([]);
  expect(draftOf(DRAFT)).toEqual({ ...DRAFT, to: ['grace@example.org'] });
  expect(targetsOf(EMAIL_DRAFT, DRAFT)).toEqual([
    { kind: 'mailbox', ref: 'default', right: 'use', pointer: '/mailbox', implied: true },
  ]);
  expect(targetsOf(CALENDAR_FIND, { calendar: 'team' })).toMatchObject([{ kind: 'calendar', ref: 'team' }]);
});

test('the request of a call is where its resource is, and its resource is part of its digest', () => {
  const caldav = bindTool(CALENDAR_FIND, [resource('calendar', { kind: 'caldav', url: 'https://dav.example.org/' })]);
  expect(caldav.requests?.({})).toEqual([{ method: 'REPORT', url: 'https://dav.example.org/', purpose: '' }]);
  expect(calendar.requests?.({})).toMatchObject([{ method: 'GET' }]);
  expect(find.requests?.({})).toEqual([{ method: 'TLS', url: 'tls://imap.example.org:993', purpose: '' }]);
  const starttls = bindTool(EMAIL_DRAFT, [resource('mailbox', { ...MAILBOX, port: 143, tls: 'starttls' })]);
  expect(starttls.requests?.({})).toEqual([{ method: 'TCP', url: 'tcp://imap.example.org:143', purpose: '' }]);
  expect(definitionForDigest(draft)['bound']).toEqual([
    { resource_id: `res_${'0'.repeat(26)}`, kind: 'mailbox', digest: 'a'.repeat(64) },
  ]);
});
