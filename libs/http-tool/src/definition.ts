// SPDX-License-Identifier: Apache-2.0
import {
  EGRESS_LIMITS,
  UNTRUSTED_CONTENT_LABELS,
  type HttpTool,
  type JsonSchemaText,
  type ToolDefinition,
} from '@writ/contract';
import { Type, type TObject } from 'typebox';
import { Errors } from 'typebox/schema';
import { httpRequestOf, requestFaults } from './http-request.ts';
import { RequestError } from './request-error.ts';

/** Any object: the schema of the arguments is checked by `faults`, since it may refer to parts of itself. */
const ANY_OBJECT: TObject = Type.Object({});

/**
 * The definition of a tool that is an operation of an HTTP API, from the stored document alone: the same document has
 * the same digest on every replica. It has no preview: the one request is the effect.
 */
export function httpDefinition(tool: HttpTool): ToolDefinition {
  const { tool_id, version, description, category, parameters, timeout_ms } = tool;
  const { method, server, path, inputs, body, credentials, idempotency_header } = tool;
  const http = { method, server, path, inputs, body, credentials, idempotency_header, is_safe: category === 'read' };
  return {
    tool_id,
    version,
    description,
    category,
    class: 'broker',
    mutating: category !== 'read',
    // Its credentials are those of the tool. INVARIANT (not the agent's): no argument names a secret.
    accepts_secrets: [],
    labels: UNTRUSTED_CONTENT_LABELS,
    limits: { ...EGRESS_LIMITS, wall_ms: timeout_ms, egress_requests: 1 },
    parameters: parameters as unknown as TObject,
    shape: ANY_OBJECT,
    result: resultOf(tool.result),
    http,
    resources: () => [],
    requests: (args) => requestsOf(http, args),
    faults: (args) => {
      const wrong = schemaFaults(parameters, args);
      return wrong.length > 0 ? wrong : requestFaults(http, args);
    },
  };
}

/** Whether a request may be sent twice with the effect of one: by its method, or since the API drops the second. */
export const isRepeatable = ({
  method,
  idempotency_header,
}: Pick<HttpTool, 'method' | 'idempotency_header'>): boolean =>
  idempotency_header !== null || method === 'GET' || method === 'HEAD' || method === 'PUT' || method === 'DELETE';

function requestsOf(http: NonNullable<ToolDefinition['http']>, args: Readonly<Record<string, unknown>>) {
  try {
    const { method, url } = httpRequestOf(http, args);
    return [{ method, url, purpose: '' }];
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    // Such arguments are refused by `faults`. An empty URL is no target, and is refused wherever it is read.
    return [{ method: http.method, url: '', purpose: '' }];
  }
}

/**
 * The problems of arguments by their schema. SEAM: `libs/json-schema` takes this over, with a bound on the work of a
 * schema, which this has not.
 */
function schemaFaults(parameters: JsonSchemaText, args: unknown): { pointer: string; message: string }[] {
  const [matches, errors] = Errors(parameters, args);
  return matches ? [] : errors.map(({ instancePath, message }) => ({ pointer: instancePath, message }));
}

/** The result: what came, of which `body` has the schema that the API documents for success. Nobody checks that. */
const resultOf = (body: JsonSchemaText | null): TObject =>
  ({
    type: 'object',
    required: ['status', 'headers', 'body', 'encoding', 'size', 'truncated'],
    additionalProperties: false,
    properties: {
      status: { type: 'integer' },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
      body: body === null ? {} : withoutDefinitions(body),
      encoding: {
        enum: ['json', 'utf8', 'base64', 'none'],
        description:
          '`json`: the body is the JSON that came; `utf8`: its text; `base64`: its bytes; `none`: it has none',
      },
      size: { type: 'integer', description: 'bytes of the body that came' },
      truncated: { type: 'boolean', description: 'whether more of it came than `body` holds' },
    },
    ...(body?.['$defs'] === undefined ? {} : { $defs: body['$defs'] }),
  }) as unknown as TObject;

/** References lead to the definitions at the root of a schema. */
function withoutDefinitions({ $defs: _defs, ...schema }: JsonSchemaText): JsonSchemaText {
  return schema;
}
