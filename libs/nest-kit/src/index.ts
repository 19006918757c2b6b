// SPDX-License-Identifier: Apache-2.0
export { bootProcess } from './boot-process.ts';
export { BusContext } from './bus-context.ts';
export { BusTransport, concurrencyMaxDefault, type BusTransportOptions } from './bus-transport.ts';
export { Clock, SystemClock } from './clock.ts';
export { COMMON_ENVIRONMENT, Port, type CommonEnvironment } from './common-environment.ts';
export { FaultFilter } from './fault-filter.ts';
export { FOLLOW_MS, followKeys, type RefreshableKeys } from './follow-keys.ts';
export { growHeapFreely } from './grow-heap.ts';
export { keyStoreOf } from './key-store-of.ts';
export { Lifetime, type LifetimePlan, type Worker } from './lifetime.ts';
export { provideBy, provideClass, provideValue } from './providers.ts';
export { NestLogger } from './nest-logger.ts';
export { newId } from './new-id.ts';
export { OpsServer, type OpsServerOptions } from './ops-server.ts';
export { EnvironmentError, readEnvironment } from './read-environment.ts';
export { readImagesFile } from './read-images-file.ts';
export { readCommonFiles } from './read-common-files.ts';
export { readKey, readKeyFile } from './read-key-file.ts';
export { readSecretFile } from './read-secret-file.ts';
export {
  awaitConnected,
  connectThrough,
  dialDirectly,
  dialThrough,
  DIRECT,
  fetchThrough,
  OUTBOUND_ENVIRONMENT,
  outboundOf,
  type Outbound,
} from './outbound.ts';
export { NotReady, Readiness, type ReadinessCheck, type ReadinessReport } from './readiness.ts';
export { changedMeanwhile, requireMatch } from './require-match.ts';
export { Repeated } from './repeated.ts';
export { addressBlocks, DatabaseUrl, listenHost, named, ReadBy, urlWithHost } from './variable-texts.ts';
export { VERSION } from './version.ts';
export { type HttpEndpoint } from './start-nest.ts';
export { startProcess, type ProcessContext, type ProcessPlan, type RunningProcess } from './start-process.ts';
