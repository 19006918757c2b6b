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
const resultOf = (
  steps: readonly StepResult[],
  cleanup: readonly StepResult[] = [],
  clipboard: string | null = null,
): ScriptResult => ({ status: 'completed', all_succeeded: true, steps, cleanup, clipboard, durationMs: 2 });
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('a report', () => {
  it('has the clipboard where a step set it, and cuts it like outputs', () => {
    expect(reportOf(resultOf([step('a')]), 10_000)).not.toHaveProperty('clipboard');
    expect(reportOf(resultOf([step('a')], [], ''), 10_000).clipboard).toBe('');
    const cut = reportOf(resultOf([step('a')], [], 'x'.repeat(5_000)), 1_000);
    expect(bytesOf(cut)).toBeLessThanOrEqual(1_000);
    expect(cut.clipboard).toMatch(/^x{100,}\n\[truncated: \d+ of 5000 bytes were cut\]$/);
    expect(cut.steps).toMatchObject([{ output: 'a' }]);
  });

  it('reports everything where it fits', () => {
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

  it('omits the last steps, and reports how many, where not even steps without text fit', () => {
    const report = reportOf(
      resultOf(
        Array.from({ length: 100 }, () => step('x')),
        [step('z')],
      ),
      4000,
    );
    expect([report.omitted_steps > 50, report.steps.length + report.omitted_steps]).toEqual([true, 101]);
  });

  it('never exceeds its limit, whatever steps output', () => {
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
