// SPDX-License-Identifier: Apache-2.0
export { Admit, type Sources } from './admit.ts';
export { Decisions } from './decisions.ts';
