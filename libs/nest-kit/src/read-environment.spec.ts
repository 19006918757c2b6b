// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { COMMON_ENVIRONMENT } from './common-environment.ts';
import { EnvironmentError, readEnvironment } from './read-environment.ts';

const schema = Type.Object({
  PORT: Type.Integer({ minimum: 1, maximum: 65_535, description: 'a TCP port, 1 to 65535' }),
  KEY_FILE: Type.String({ minLength: 1 }),
  RATIO: Type.Number({ default: 0.5 }),
  VERBOSE: Type.Boolean({ default: false }),
  ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://' })),
});

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readEnvironment(schema, env);
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems;
    throw error;
  }
  return [];
};

test('texts become what the schema says, defaults are filled in, other variables are left out', () => {
  expect(readEnvironment(schema, { PORT: '7480', KEY_FILE: '7480', VERBOSE: 'true', HOME: '/root' })).toEqual({
    PORT: 7480,
    KEY_FILE: '7480',
    RATIO: 0.5,
    VERBOSE: true,
  });
});

test('every variable that is missing or wrong is named at once, with what it should be', () => {
  expect(problemsOf({ PORT: '70000', ENDPOINT: 'ftp://x' })).toEqual([
    'PORT is wrong: a TCP port, 1 to 65535',
    'KEY_FILE is not set: must be string',
    expect.stringMatching(/^ENDPOINT is wrong: does not have the form/),
  ]);
});

test.each(['', '0', '-1', '7.5', 'seven', '0x10', '1e3 '])('the port `%s` is refused', (PORT) => {
  expect(problemsOf({ PORT, KEY_FILE: 'f' })).toHaveLength(1);
});

test('an empty variable counts as absent', () => {
  expect(problemsOf({ PORT: '1', KEY_FILE: '' })).toEqual([expect.stringContaining('KEY_FILE is not set')]);
  expect(readEnvironment(schema, { PORT: '1', KEY_FILE: 'f', ENDPOINT: '' })).not.toHaveProperty('ENDPOINT');
});

test('no value is ever repeated: it may be a secret', () => {
  expect(
    problemsOf({
      PORT: 'swordfish',
      KEY_FILE: 'f',
      RATIO: 'swordfish',
      VERBOSE: 'swordfish',
      ENDPOINT: 'swordfish',
    }).join(),
  ).not.toContain('swordfish');
});

test('the common variables have defaults but for the address of NATS', () => {
  expect(readEnvironment(Type.Object(COMMON_ENVIRONMENT), { WRIT_NATS_URL: 'nats://127.0.0.1:4222' })).toEqual({
    WRIT_DEPLOYMENT: 'writ.local',
    WRIT_SHARD: 's0',
    WRIT_NATS_URL: 'nats://127.0.0.1:4222',
    WRIT_LOG_LEVEL: 'info',
    WRIT_OPS_HOST: '127.0.0.1',
    WRIT_OPS_PORT: 0,
    WRIT_START_WAIT_MS: 30_000,
    WRIT_METRICS_TENANTS_MAX: 50,
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_METRIC_EXPORT_INTERVAL: 60_000,
  });
});
