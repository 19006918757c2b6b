// SPDX-License-Identifier: Apache-2.0
export { bootProcess } from './boot-process.ts';
export { BusContext } from './bus-context.ts';
export { BusTransport, concurrencyMaxDefault, type BusTransportOptions } from './bus-transport.ts';
export { Clock, SystemClock } from './clock.ts';
export { COMMON_ENVIRONMENT, Port, type CommonEnvironment } from './common-environment.ts';
export { FaultFilter } from './fault-filter.ts';
export { NestLogger } from './nest-logger.ts';
export { newId } from './new-id.ts';
export { OpsServer, type OpsServerOptions } from './ops-server.ts';
export { EnvironmentError, readEnvironment } from './read-environment.ts';
export { KEY_BYTES, readKeyFile } from './read-key-file.ts';
export { readSecretFile } from './read-secret-file.ts';
export { Readiness, type ReadinessCheck, type ReadinessReport } from './readiness.ts';
export { Repeated } from './repeated.ts';
export { openBytes, sealBytes } from './sealed-bytes.ts';
export { givenValueContext, secretContext, sealTo, ValueBox } from './value-box.ts';
export { type HttpDoor } from './start-nest.ts';
export { startProcess, type Given, type ProcessPlan, type RunningProcess } from './start-process.ts';
