// SPDX-License-Identifier: Apache-2.0
import type { LoggerService } from '@nestjs/common';
import type { Logger } from '@writ/telemetry';

/**
 * Writes Nest's own lines to our log. Nest passes the name of the logging class last, and a stack before it with
 * errors.
 */
export class NestLogger implements LoggerService {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  log(message: unknown, ...rest: unknown[]): void {
    // Nest's lines about modules and routes are of interest at debug level only.
    this.#write('debug', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#write('fatal', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#write('trace', message, rest);
  }

  #write(level: 'fatal' | 'error' | 'warn' | 'debug' | 'trace', message: unknown, rest: readonly unknown[]): void {
    const context = rest.at(-1);
    const fields = {
      ...(typeof context === 'string' ? { context } : {}),
      ...(rest.length > 1 && typeof rest[0] === 'string' ? { stack: rest[0] } : {}),
    };
    if (message instanceof Error) this.#logger[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'string') this.#logger[level](fields, message);
    else this.#logger[level]({ ...fields, message }, 'nest');
  }
}
