// SPDX-License-Identifier: Apache-2.0
export { Assign, type AssignOptions } from './assign.ts';
