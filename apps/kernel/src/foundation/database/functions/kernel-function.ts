// SPDX-License-Identifier: Apache-2.0
import { sqlFunction, type SqlFunctionOptions, type SqlParameters, type SqlReturns } from '@writ/database';
import { boundFault, quotaFault } from '../kernel-errors.ts';

/**
 * Declares a function of the schema `kernel`, see `sqlFunction`. A function with a parameter `tenant` sets the tenant
 * of its transaction itself, except those that are called within a transaction (`callIn`, `in`). A call throws Fault
 * `workspace.quota` where the function refused with `quota_exceeded`, and `token.agent` where it refused with
 * `key_bound`.
 */
export const kernelFunction =
  <Reply = undefined>() =>
  <const P extends SqlParameters, Returns extends SqlReturns>(
    name: `kernel.${string}`,
    parameters: P,
    options: Omit<SqlFunctionOptions<Returns>, 'mapError'>,
  ) =>
    sqlFunction<Reply>()(name, parameters, { ...options, mapError: (error) => boundFault(quotaFault(error)) });
