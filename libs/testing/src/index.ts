// SPDX-License-Identifier: Apache-2.0
export { findNatsServer, startNatsServer, type NatsServerPlace, type TestNatsServer } from './nats-server.ts';
