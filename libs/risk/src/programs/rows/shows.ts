// SPDX-License-Identifier: Apache-2.0

/** Flags with which most programs only list things, or show what they would do. */
export const SHOWS = ['--dry-run', '--help', '-h', '--version', '-V', '--list', '-l'];
