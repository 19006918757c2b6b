// SPDX-License-Identifier: Apache-2.0

/**
 * What a script's machine has as its environment: the few variables of a job, and where its proxy is. Read when the
 * interpreter runs, not when its snapshot is made.
 */
export const variables = (): Readonly<Record<string, string | undefined>> => process.env;
