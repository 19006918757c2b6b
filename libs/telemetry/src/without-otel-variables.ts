// SPDX-License-Identifier: Apache-2.0

const PREFIX = 'OTEL_';

/**
 * Runs something that reads `OTEL_*` variables by itself, without them. OpenTelemetry's SDK would take endpoints,
 * samplers, limits, log exporters and its own switch-off from the environment, beside what `config.env.ts` has read,
 * checked and documented. It MUST be synchronous: the variables are back when this returns.
 */
export function withoutOtelVariables<T>(run: () => T): T {
  // eslint-disable-next-line no-restricted-properties -- hidden from a library that reads it; nothing is read from it here
  const { env } = process;
  const hidden = Object.entries(env).filter(([name]) => name.startsWith(PREFIX));
  for (const [name] of hidden) Reflect.deleteProperty(env, name);
  try {
    return run();
  } finally {
    for (const [name, value] of hidden) env[name] = value;
  }
}
