// SPDX-License-Identifier: Apache-2.0
export { LOG_LEVELS, makeLogger, type Logger, type LoggerOptions, type LogLevel } from './logger.ts';
export { redact, REDACTED } from './redact.ts';
export { currentTrace, extractTrace, injectTrace, isTraced, traceHooks, withSpan } from './spans.ts';
export type { Meter, Tracer } from '@opentelemetry/api';
export { startTelemetry, type Telemetry, type TelemetryOptions } from './start.ts';
export { toolLabel, type LabelledTool } from './tool-label.ts';
