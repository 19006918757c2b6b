// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { reportOf } from './report.ts';
import type { ScriptResult, StepResult } from './result.ts';

const step = (output: string, error: string | null = null): StepResult => ({
  verb: 'Echo',
  pointer: '/operations/0',
  status: error === null ? 'ok' : 'failed',
  attempts: 1,
  durationMs: 1,
  output,
  error,
});
const resultOf = (steps: readonly StepResult[], cleanup: readonly StepResult[] = []): ScriptResult => ({
  status: 'completed',
  all_succeeded: true,
  steps,
  cleanup,
  durationMs: 2,
});
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('a report', () => {
  it('says everything where there is room', () => {
    expect(reportOf(resultOf([step('a'), step('', 'b')]), 10_000)).toEqual({
      status: 'completed',
      all_succeeded: true,
      duration_ms: 2,
      omitted_steps: 0,
      cleanup: [],
      steps: [
        { verb: 'Echo', pointer: '/operations/0', status: 'ok', attempts: 1, duration_ms: 1, output: 'a', error: null },
        {
          verb: 'Echo',
          pointer: '/operations/0',
          status: 'failed',
          attempts: 1,
          duration_ms: 1,
          output: '',
          error: 'b',
        },
      ],
    });
  });

  it('cuts long outputs for short ones, with a notice', () => {
    const { steps } = reportOf(resultOf([step('x'.repeat(5000)), step('short'), step('y'.repeat(9000))]), 3000);
    expect(steps.map(({ output }) => output.length > 500)).toEqual([true, false, true]);
    expect([steps[1]?.output, steps[2]?.output]).toEqual([
      'short',
      expect.stringMatching(/^y{500,}\n\[truncated: \d+ of 9000 bytes were cut\]$/),
    ]);
  });

  it('leaves the last steps out, and says how many, where there is no room for the words of any', () => {
    const report = reportOf(
      resultOf(
        Array.from({ length: 100 }, () => step('x')),
        [step('z')],
      ),
      4000,
    );
    expect([report.omitted_steps > 50, report.steps.length + report.omitted_steps]).toEqual([true, 101]);
  });

  it('is never longer than it may be, whatever steps say', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(texts, fc.option(texts)), { maxLength: 30 }),
        fc.integer({ min: 150, max: 20_000 }),
        (rows, bytesMax) => {
          expect(
            bytesOf(reportOf(resultOf(rows.map(([output, error]) => step(output, error))), bytesMax)),
          ).toBeLessThanOrEqual(bytesMax);
        },
      ),
      { numRuns: 300 },
    );
  });
});
