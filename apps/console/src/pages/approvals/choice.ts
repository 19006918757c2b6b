// SPDX-License-Identifier: Apache-2.0

/** What a person chooses: once, for alike calls of the session too, or not at all. */
export type Choice = 'approve' | 'session' | 'deny';
