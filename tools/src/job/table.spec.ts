// SPDX-License-Identifier: Apache-2.0
import { stripVTControlCharacters } from 'node:util';
import { goodJournal } from './specs/entries.ts';
import { summarize } from './summary.ts';
import { renderJob } from './table.ts';

const render = (model: string, ok: boolean): string =>
  stripVTControlCharacters(
    renderJob({
      ok,
      model,
      workspace_id: 'w',
      calls: summarize(goodJournal(), []),
      expectations: [{ what: 'the model finished', met: ok, found: ok ? '' : 'no reply' }],
    }),
  );

test('every call is a row with its description, decision and outcome', () => {
  const text = render('transcript:x', true);
  expect(text).toMatch(/│ 4 │ fs\.edit a +│ refused token\.scope +│ did not run /);
  expect(text).toMatch(/│ 5 │ shell\.run rm -rf src +│ held, denied +│ did not run /);
  expect(text).toMatch(/│ rolled back command\.failed /);
  expect(text).toMatch(/│ repeated +│ the first outcome /);
  expect(text).toContain('✔ all went as it should');
});

test('no line is wider than a large terminal', () => {
  for (const line of render('transcript:x', true).split('\n'))
    if (line.startsWith('│')) expect(line.length).toBeLessThanOrEqual(130);
});

test('a recorded run is labelled as one', () => {
  expect(render('transcript:x', true)).toContain('a transcript drove it, which ships with the example');
  expect(render('gpt-5.1', true)).toContain('gpt-5.1 drove it');
});

test('an unmet expectation is named', () => {
  expect(render('m', false)).toMatch(/✖ the model finished \(no reply\)\n\n✖ something did not go as it should$/);
});
