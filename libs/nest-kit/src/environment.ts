// SPDX-License-Identifier: Apache-2.0
//
// Reads the environment of a program that is no service: without Nest, the bus and an ops server.
export { COMMON_ENVIRONMENT } from './common-environment.ts';
export { EnvironmentError, readEnvironment } from './read-environment.ts';
export { readSecretFile } from './read-secret-file.ts';
export { VERSION } from './version.ts';
