// SPDX-License-Identifier: Apache-2.0

/**
 * The environment of a script: the few variables of a job, and the address of its proxy. Read when the interpreter
 * runs, not when its snapshot is made.
 */
export const variables = (): Readonly<Record<string, string | undefined>> => process.env;
