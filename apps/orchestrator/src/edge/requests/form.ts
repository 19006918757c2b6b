// SPDX-License-Identifier: Apache-2.0
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Fault } from '@writ/contract';
import type { FastifyRequest } from 'fastify';
import { bounded } from './bounded.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Two tokens of the longest form that is accepted, and what describes them. */
const FORM_BYTES_MAX = 32 * 1024;

/** A request with a form. All of it is attacker-controlled. */
export interface FormRequest {
  /** the client's address, as trusted proxies report it */
  readonly address: string;
  /** Reads the fields. Faults: `request.unsupported_media_type`, `request.too_large`, `request.malformed`. */
  readonly fields: () => Promise<URLSearchParams>;
}

/** Passes a handler a request with a form, which the handler reads. */
export const InForm = createParamDecorator((_data: unknown, context: ExecutionContext): FormRequest => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { address: request.ip, fields: () => readForm(request, FORM_BYTES_MAX) };
});

/** Reads the fields of a form. Faults: `request.unsupported_media_type`, `request.too_large`, `request.malformed`. */
export async function readForm(request: FastifyRequest, bytesMax: number): Promise<URLSearchParams> {
  const media = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (media !== FORM_TYPE) throw new Fault('request.unsupported_media_type', `the form comes as \`${FORM_TYPE}\``);
  const parts: Uint8Array[] = [];
  for await (const part of bounded(request.raw, bytesMax)) parts.push(part);
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'));
}
