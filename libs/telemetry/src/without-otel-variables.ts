// SPDX-License-Identifier: Apache-2.0

const PREFIX = 'OTEL_';

/**
 * Runs code that reads `OTEL_*` variables, with these variables removed. OpenTelemetry's SDK would take endpoints,
 * samplers, limits, log exporters and its own off switch from the environment, beside the settings that `config.env.ts`
 * reads, checks and documents. `run` MUST be synchronous: the variables are restored when this returns.
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
