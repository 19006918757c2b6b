// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { checkout } from '../../setup.ts';
import { chooseModel, readTranscript } from './choose.ts';

const transcript = readTranscript(join(checkout, 'examples', 'duration.transcript.json'));
const nameFor = (env: Record<string, string>): string => chooseModel(env, transcript).model.name;

test("a key selects its provider's model; without one the recorded run is used, visible by its name", () => {
  expect(nameFor({})).toMatch(/^transcript:/);
  expect(nameFor({ ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' })).toMatch(/^transcript:/);
  expect(nameFor({ ANTHROPIC_API_KEY: 'k' })).toMatch(/^claude-/);
  expect(nameFor({ OPENAI_API_KEY: 'k' })).toMatch(/^gpt-/);
  expect(nameFor({ GEMINI_API_KEY: 'k' })).toMatch(/^gemini-/);
  expect(nameFor({ OPENAI_API_KEY: 'k', WRIT_MODEL: 'local/coder:7b' })).toBe('local/coder:7b');
});

test('the task is the same for every model', () => {
  expect(chooseModel({ OPENAI_API_KEY: 'k' }, transcript).prompt).toBe(transcript.prompt);
});
