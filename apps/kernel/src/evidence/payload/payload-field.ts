// SPDX-License-Identifier: Apache-2.0

/**
 * The columns of kernel.payload that are encrypted, and the key within `args_ref`; bound into the ciphertext, so that
 * one can't be read as another.
 */
export type PayloadField = 'args' | 'args_key' | 'salt' | 'result' | 'staged' | 'requests' | 'announced';
