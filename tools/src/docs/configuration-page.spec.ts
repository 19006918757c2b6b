// SPDX-License-Identifier: Apache-2.0
import { checkout } from '../setup.ts';
import { configurationPage, configurationSections } from './configuration-page.ts';
import { variablesOf } from './prose.ts';
import { styleProblems } from './style.ts';

const sections = await configurationSections(checkout);
const declared = sections.flatMap(({ variables }) => Object.entries(variables));

test('the configuration page names every variable that the code reads', async () => {
  const page = await configurationPage(checkout);
  const names = variablesOf(checkout);
  expect(names).toContain('WRIT_NATS_URL');
  expect(names.filter((name) => !page.includes(`### \`${name}\``))).toEqual([]);
});

test('descriptions of variables are short sentences without private words', async () => {
  expect(styleProblems(await configurationPage(checkout))).toEqual([]);
});

test('every declaration of a variable has a description', () => {
  expect(declared.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([]);
});

test('every declaration of a number has a unit, except ports', () => {
  const numbers = declared.filter(([name, { type }]) => type === 'integer' && !name.endsWith('_PORT'));
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.filter(([, { unit }]) => unit === undefined).map(([name]) => name)).toEqual([]);
});

test('every declaration of a key, a password or a database address is marked as secret', () => {
  const secrets = declared.filter(([name]) => /(?:_KEY|PASSWORD|DATABASE_URL)(?:_FILE)?$/.test(name));
  expect(secrets.length).toBeGreaterThan(15);
  expect(secrets.filter(([, { secret }]) => secret !== true).map(([name]) => name)).toEqual([]);
});
