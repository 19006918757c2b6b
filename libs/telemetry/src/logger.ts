// SPDX-License-Identifier: Apache-2.0
import { trace } from '@opentelemetry/api';
import { pino, type Bindings, type ChildLoggerOptions, type DestinationStream, type Logger } from 'pino';
import { redact } from './redact.ts';

export type { Logger } from 'pino';

/** Values that `WRIT_LOG_LEVEL` accepts. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  readonly service: string;
  readonly version: string;
  readonly level: LogLevel;
  /** Default: standard output, synchronously, so that the last line before an exit isn't lost. */
  readonly destination?: DestinationStream;
}

/** Creates a logger. Its lines carry the ids of the current span, and never the values that `redact` hides. */
export function makeLogger({ service, version, level, destination }: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      base: { service, version },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: traceIds,
      // Errors are logged as `redact` returned them.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }), log: redact },
      hooks: { streamWrite: escapeHidden },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
  return redactChildren(logger);
}

/**
 * Characters that a terminal interprets or doesn't show, and that JSON leaves unescaped: C1 controls, direction marks,
 * line separators and zero-width characters. Callers choose some of the names that are logged.
 */
const HIDDEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A line of JSON whose hidden characters are escaped. They occur only in strings, so the line means the same. */
const escapeHidden = (line: string): string =>
  line.replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The parent's formatter does not see a child's fields, so they are redacted before the child is created. */
function redactChildren(logger: Logger): Logger {
  const { child } = logger;
  // Children inherit from their logger, so the fields of their own children are redacted too.
  return Object.defineProperty(logger, 'child', {
    value: function (this: Logger, fields: Bindings, options?: ChildLoggerOptions): unknown {
      return Reflect.apply(child, this, [redact(fields), options]);
    },
  });
}

function traceIds(): Record<string, string> {
  const context = trace.getActiveSpan()?.spanContext();
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
}
