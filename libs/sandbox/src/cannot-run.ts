// SPDX-License-Identifier: Apache-2.0

/**
 * The shell's own status for a command that was found and can't be run, and a job's where its command wasn't started
 * (POSIX XCU 2.8.2).
 */
export const CANNOT_RUN = 126;

/** The output of a job whose program can't be started, with the system's error code (`ENOENT`: it doesn't exist). */
export const cannotStart = (code: string): string => `the command can't be started (${code})\n`;
