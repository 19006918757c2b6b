// SPDX-License-Identifier: Apache-2.0
export { ApiKeysController } from './api-keys.controller.ts';
export { EndCalls } from './end-calls.ts';
export { RevokeKey } from './revoke-key.ts';
