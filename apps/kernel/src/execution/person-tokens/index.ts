// SPDX-License-Identifier: Apache-2.0
export { openConnection, sealConnection, type ConnectionContent, type ConnectionOf } from './connection-content.ts';
export { PersonTokens, type PersonToken } from './person-tokens.ts';
