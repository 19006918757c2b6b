// SPDX-License-Identifier: Apache-2.0
export { openSealed } from './open-sealed.ts';
export { PgValueStore } from './pg-value-store.ts';
export { SessionValues, type GivenValue } from './session-values.ts';
