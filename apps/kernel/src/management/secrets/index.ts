// SPDX-License-Identifier: Apache-2.0
export { SecretsController } from './secrets.controller.ts';
export { Secrets } from './secrets.ts';
