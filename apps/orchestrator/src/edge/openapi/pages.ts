// SPDX-License-Identifier: Apache-2.0
import type { INestApplication } from '@nestjs/common';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { ApiDocument } from './document.ts';

/** This server serves the pages' scripts and styles; the policy forbids fetching anything from other hosts. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Shows the document at `/docs/api`, beside the documentation site. */
export function showPages(app: INestApplication, fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (request.url === '/docs/api' || request.url.startsWith('/docs/api/'))
      void reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
    done(null, payload);
  });
  const document = app.get(ApiDocument).json as unknown as OpenAPIObject;
  SwaggerModule.setup('docs/api', app, document, {
    raw: false,
    customSiteTitle: 'Writ API',
    swaggerOptions: { supportedSubmitMethods: [], validatorUrl: null },
  });
}
