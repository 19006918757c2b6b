// SPDX-License-Identifier: Apache-2.0
import {
  ANY_OBJECT,
  EGRESS_LIMITS,
  UNTRUSTED_CONTENT_LABELS,
  type HttpTool,
  type JsonSchemaText,
  type ToolDefinition,
} from '@writ/contract';
import { CHECK_STEPS_MAX, schemaFaults, type SchemaFault } from '@writ/json-schema';
import type { TObject } from 'typebox';
import { requestFaults, requestUrlOf, type HttpRecipe } from './http-request.ts';
import { RequestError } from './request-error.ts';

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
    faults: (args) => httpArgumentFaults({ http, parameters }, args),
  };
}

function requestsOf(http: NonNullable<ToolDefinition['http']>, args: Readonly<Record<string, unknown>>) {
  try {
    return [{ method: http.method, url: requestUrlOf(http, args), purpose: '' }];
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    // Such arguments are refused by `faults`. An empty URL is no target, and is refused wherever it is read.
    return [{ method: http.method, url: '', purpose: '' }];
  }
}

const TOO_LONG: readonly SchemaFault[] = [
  { pointer: '', message: 'take more work to check by the schema of the tool than a call may' },
];

/** The parts of a tool that determine which arguments it takes. */
export interface HttpArguments {
  readonly http: HttpRecipe;
  readonly parameters: JsonSchemaText;
}

/**
 * The problems of arguments: by the schema, and else by the request that is to carry them. Null where the check took
 * more steps than allowed: then nothing is known. Pure.
 */
export function httpFaults(
  { http, parameters }: HttpArguments,
  args: Readonly<Record<string, unknown>>,
  stepsMax: number,
): readonly SchemaFault[] | null {
  const wrong = schemaFaults(parameters, args, stepsMax);
  return wrong === null || wrong.length > 0 ? wrong : requestFaults(http, args);
}

/** The problems of arguments. Arguments that take too much work to check have one. Total and pure. */
export const httpArgumentFaults = (
  about: HttpArguments,
  args: Readonly<Record<string, unknown>>,
): readonly SchemaFault[] => httpFaults(about, args, CHECK_STEPS_MAX) ?? TOO_LONG;

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
