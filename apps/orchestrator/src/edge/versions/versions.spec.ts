// SPDX-License-Identifier: Apache-2.0
import { Fault, FAULT_TITLES, FAULTS, type FaultCode } from '@writ/contract';
import { openTestApi } from '../../specs/test-api.ts';
import { problemOf } from '../problems/problem.ts';
import { API_VERSIONS, NEWEST, problemIn, versionHeaders } from './versions.ts';

const [, BEFORE_TITLES] = API_VERSIONS.map(({ date }) => date);

test('versions are dates, newest first, and each but the first knows the way back', () => {
  const dates = API_VERSIONS.map(({ date }) => date);
  for (const date of dates) expect(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(date);
  expect(dates).toEqual([...new Set(dates)].sort().reverse());
  expect(API_VERSIONS.slice(0, -1).filter(({ problemBefore }) => problemBefore === undefined)).toEqual([]);
});

test('every problem is shown in every version, and keeps its status and its instruction', () => {
  for (const code of Object.keys(FAULTS) as FaultCode[]) {
    const problem = problemOf(new Fault(code), 'req_1');
    expect(problemIn(NEWEST, problem)).toEqual(problem);
    for (const { date } of API_VERSIONS) {
      const { status, retry } = problemIn(date, problem);
      expect([code, date, status, retry]).toEqual([code, date, problem.status, problem.retry]);
    }
  }
});

test('before problems had titles, the title was the message, and two codes were others', () => {
  const shown = (code: FaultCode, detail?: string) =>
    problemIn(BEFORE_TITLES!, problemOf(new Fault(code, detail), 'r'));
  expect(shown('auth.role')).toMatchObject({ title: 'the API key has no role that allows this' });
  expect(shown('query.invalid', 'the query parameter `limit` …')).toMatchObject({
    type: 'https://writ.dev/errors/request.malformed',
    code: 'request.malformed',
    title: 'the request body is not valid',
    detail: 'the query parameter `limit` …',
  });
  expect(shown('route.unknown', 'there is no route `/x` here')).toMatchObject({
    code: 'not_found',
    title: FAULTS.not_found.message,
    detail: FAULTS.not_found.message,
  });
  expect(FAULT_TITLES.not_found).not.toBe(FAULTS.not_found.message);
});

test('an old version says since when it is deprecated and when it ends', () => {
  expect(versionHeaders(NEWEST)).toEqual({ 'writ-version': NEWEST });
  expect(versionHeaders('2026-12-01')).toEqual({
    'writ-version': '2026-12-01',
    deprecation: `@${Date.UTC(2026, 11, 2) / 1000}`,
    sunset: 'Sat, 02 Dec 2028 00:00:00 GMT',
  });
});

test('a request gets the version that it names, the newest without a name, and no other', async () => {
  const api = await openTestApi();
  const { admin: key } = await api.newTenant();
  const ask = (path: string, version?: string) =>
    api.ask('GET', path, { key, headers: version === undefined ? {} : { 'writ-version': version } });
  for (const [version, served, title] of [
    [undefined, NEWEST, FAULT_TITLES.not_found],
    [NEWEST, NEWEST, FAULT_TITLES.not_found],
    ['2026-12-01', '2026-12-01', FAULTS.not_found.message],
  ] as const) {
    const answer = await ask('/v1/agents/banana', version);
    expect([version, answer.headers.get('writ-version'), answer.json['title']]).toEqual([version, served, title]);
    expect((await ask('/v1/agents', version)).headers.get('writ-version')).toBe(served);
  }
  expect((await ask('/v1/agents', '2026-12-01')).headers.get('sunset')).toMatch(/2028/);
  const unknown = await ask('/v1/agents', '2020-01-01');
  expect([unknown.status, unknown.json['code']]).toEqual([400, 'version.unsupported']);
  for (const { date } of API_VERSIONS) expect(unknown.json['detail']).toContain(`\`${date}\``);
  // Also where there is no route, and so no guard.
  expect((await ask('/v1/agent', '2026-12-01')).json['code']).toBe('not_found');
  await api.close();
});
