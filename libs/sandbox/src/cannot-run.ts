// SPDX-License-Identifier: Apache-2.0

/**
 * The shell's own status for a command that was found and can't be run; a job's where its command wasn't started (POSIX
 * XCU 2.8.2).
 */
export const CANNOT_RUN = 126;

/**
 * What a job's output says of a program that can't be started, with the error's code as the system names it (`ENOENT`:
 * it isn't there).
 */
export const cannotStart = (code: string): string => `the command can't be started (${code})\n`;
