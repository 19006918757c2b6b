// SPDX-License-Identifier: Apache-2.0
export { answerByFetch, type ReadRequest } from './answer-by-fetch.ts';
export { repositoryRoot, testAddress } from './addresses.ts';
export { Browser, type BrowserOptions, type BrowserPage, type PageForm, type SendChanges } from './browser.ts';
export { UNBALANCED_BUDGETS } from './budgets.ts';
export { catalogOf } from './catalog.ts';
export {
  newCertificateAuthority,
  type CertificateAuthority,
  type CertificateOptions,
  type ServerCertificate,
} from './certificates.ts';
export { copyOperations } from './copy-operations.ts';
export { MAIL_PASSWORD, MAIL_USER, startMailServer, type MailServer } from './dovecot.ts';
export { freePort } from './free-port.ts';
export { freshService } from './fresh-service.ts';
export { startTunnelProxy, type TunnelProxy } from './tunnel-proxy.ts';
export { liteDatabase, type LiteClient, type LiteDatabase } from './lite-database.ts';
export { findNatsServer, startNatsServer, type NatsServerSettings, type TestNatsServer } from './nats-server.ts';
export { outsideTls, type OutsideTls } from './outside-tls.ts';
export { testDatabase, type TestDatabase } from './postgres.ts';
export { npmPackages } from './npm-packages.ts';
export { pythonEnvironment, type PythonEnvironment, type PythonEnvironmentOptions } from './python-environment.ts';
export { pythonPackage, pythonPackages } from './python-packages.ts';
export { startRadicale, type Radicale } from './radicale.ts';
export { rowsRead } from './rows-read.ts';
export { hasSoftToken, SOFT_TOKEN, softToken, type SoftToken } from './soft-token.ts';
export { textsWithMeaning, WRONG_COMMON_TEXTS, WRONG_OUTBOUND_TEXTS } from './wrong-texts.ts';
export { chatChunk, sse, WireServer, type WireRequest, type WireScript } from './wire-server.ts';
export { functionCatalog, type CatalogFunction } from './function-catalog.ts';
export { uncalledFunctions, wrongRows } from './function-table.ts';
export { wordErrors } from './word-errors.ts';
