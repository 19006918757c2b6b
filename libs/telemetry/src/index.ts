// SPDX-License-Identifier: Apache-2.0
export { LOG_LEVELS, makeLogger, type Logger, type LoggerOptions, type LogLevel } from './logger.ts';
export { redact, REDACTED } from './redact.ts';
export { currentTrace, extractTrace, injectTrace, isTraced, traceHooks, withSpan } from './spans.ts';
export {
  BOUNDS,
  INSTRUMENT_AREAS,
  INSTRUMENTS,
  isOf,
  Meter,
  OTHER,
  prometheusLabel,
  prometheusName,
  rowOf,
  SECONDS,
  type Counter,
  type Histogram,
  type InstrumentName,
  type InstrumentRow,
  type Label,
  type LabelsOf,
  type Observe,
} from './instruments/index.ts';
export type { Tracer } from '@opentelemetry/api';
export { startTelemetry, type Telemetry, type TelemetryOptions } from './start.ts';
export { toolLabel, type LabelledTool } from './tool-label.ts';
export { ConnectionWatch, type CountedPool } from './watch-connections.ts';
