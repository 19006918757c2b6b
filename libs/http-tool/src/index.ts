// SPDX-License-Identifier: Apache-2.0
export { isSuccess, refusesWholly } from './answer.ts';
export { httpArgumentFaults, httpDefinition, httpFaults, type HttpArguments } from './definition.ts';
export { httpRequestOf, type HttpRequest } from './http-request.ts';
export { RequestError } from './request-error.ts';
export { percentEncoded } from './serialize.ts';
export { httpToolProblems, isHeaderForApi, isPlainPath } from './tool-problems.ts';
