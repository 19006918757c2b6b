// SPDX-License-Identifier: Apache-2.0
export { Cancel } from './cancel.ts';
