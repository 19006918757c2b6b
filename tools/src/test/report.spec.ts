// SPDX-License-Identifier: Apache-2.0
import type { FileOutcome, Results, TestOutcome } from '../vitest/results.ts';
import { failuresOf, retriedOf, slowestFiles, timesOf } from './report.ts';

const outcome = (name: string, over: Partial<TestOutcome> = {}): TestOutcome => ({
  name,
  state: 'passed',
  retried: false,
  errors: [],
  ...over,
});
const file = (name: string, over: Partial<FileOutcome> = {}): FileOutcome => ({
  file: name,
  wallMs: 1,
  processorMs: 1,
  tests: [],
  errors: [],
  ...over,
});
const results = (...files: FileOutcome[]): Results => ({ files, errors: [] });

test('only failed tests are listed, each with the beginning of its reason', () => {
  const tests = [outcome('x is y'), outcome('x is z', { state: 'failed', errors: ['Expected 1\n\n    at line 3\n'] })];
  expect(
    failuresOf([results(file('a.spec.ts', { tests }), file('b.spec.ts', { tests: [outcome('all is well')] }))]),
  ).toEqual([{ file: 'a.spec.ts', test: 'x is z', lines: ['Expected 1', '    at line 3'] }]);
});

test('a property that passed on retry is listed as failed, like it is counted, and any other test as retried', () => {
  const tests = [outcome('grows', { retried: true, errors: ['10.9 is not less than 10'] })];
  const listed = [results(file('a.prop.spec.ts', { tests }), file('b.spec.ts', { tests }))];
  const entry = { test: 'grows', lines: ['10.9 is not less than 10'] };
  expect(failuresOf(listed)).toEqual([{ file: 'a.prop.spec.ts', ...entry }]);
  expect(retriedOf(listed)).toEqual([{ file: 'b.spec.ts', ...entry }]);
});

test('a file that could not be run is listed, and a long reason is cut', () => {
  const message = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
  const [failure] = failuresOf([results(file('a.spec.ts', { errors: [message] }))]);
  expect(failure).toMatchObject({ file: 'a.spec.ts', test: null });
  expect(failure?.lines).toHaveLength(15);
});

test('an error that belongs to no file is listed', () => {
  expect(failuresOf([{ files: [], errors: ['a worker ended'] }])).toEqual([
    { file: null, test: null, lines: ['a worker ended'] },
  ]);
});

test('a test that passed on retry is listed with the first reason, and is no failure', () => {
  const all = [
    results(file('a.spec.ts', { tests: [outcome('now and then', { retried: true, errors: ['too late'] })] })),
  ];
  expect(retriedOf(all)).toEqual([{ file: 'a.spec.ts', test: 'now and then', lines: ['too late'] }]);
  expect(failuresOf(all)).toEqual([]);
});

test('the slowest files of all suites are listed, slowest first', () => {
  const many = Array.from({ length: 50 }, (_, n) => file(`f${n}.spec.ts`, { wallMs: n }));
  const slowest = slowestFiles([results(...many), results(file('g.spec.ts', { wallMs: 70 }))]);
  expect(slowest).toHaveLength(20);
  expect(slowest.slice(0, 2).map(({ file: name }) => name)).toEqual(['g.spec.ts', 'f49.spec.ts']);
});

test('times are summed, and a file that did not end adds no processor time', () => {
  expect(timesOf([file('a', { wallMs: 5, processorMs: 3 }), file('b', { wallMs: 7, processorMs: null })])).toEqual({
    wallMs: 12,
    processorMs: 3,
  });
});
