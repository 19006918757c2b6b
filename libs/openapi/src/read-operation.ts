// SPDX-License-Identifier: Apache-2.0
import type { HttpCredential, HttpTool, JsonSchemaText } from '@writ/contract';
import { httpToolProblems } from '@writ/http-tool';
import { formProblem, readBody, resultSchemaOf, type ReadBody } from './body.ts';
import type { ImportOptions } from './import-options.ts';
import { categoryOf, isSentMethod, type FoundOperation, type Method } from './operations.ts';
import { readParameters, styleProblem, type ReadParameter, type ReadParameters } from './parameters.ts';
import { attempt, Unusable, type ImportProblem } from './problems.ts';
import type { Json, ReadDocument } from './read-document.ts';
import { memberOf, type Located } from './references.ts';
import { SchemaReader, schemaWithin } from './schemas.ts';
import { credentialsOf } from './security.ts';
import { serverOf } from './servers.ts';

/** A tool before the kernel gives it a version. */
export type HttpToolDraft = Omit<HttpTool, 'version'>;

export interface ReadOperation {
  readonly tool: HttpToolDraft;
  /** what of the operation is not offered, or not known */
  readonly notes: readonly ImportProblem[];
}

const DESCRIPTION_CHARS_MAX = 4_096;

/** Makes the tool of an operation. @throws Unusable where it can't be had exactly */
export function readOperation(
  document: ReadDocument,
  found: FoundOperation,
  server: string,
  options: ImportOptions,
): ReadOperation {
  const { operation, item, method, path } = found;
  const name = found.name ?? '';
  if (!isSentMethod(method)) throw new Unusable(operation.pointer, `the method \`${method}\` is not sent by tools`);
  const credentials = credentialsOf(document.root, operation, options.secrets);
  const idempotency_header = options.idempotency_headers[name] ?? null;
  const read = readParameters(document.root, [memberOf(item, 'parameters'), memberOf(operation, 'parameters')], {
    headers: new Set(
      [...ofPlace(credentials, 'header'), ...(idempotency_header === null ? [] : [idempotency_header])].map((one) =>
        one.toLowerCase(),
      ),
    ),
    query: new Set(ofPlace(credentials, 'query')),
  });
  const body = bodyOf(document, operation, method);
  const offered = offeredParameters(document, read.parameters);
  const { inputs, bodyArgument, parameters } = argumentsOf(document, operation, offered.parameters, body.body);
  const result = resultOf(document, operation);
  const tool: HttpToolDraft = {
    v: 1,
    kind: 'http',
    tool_id: `api.${options.name}.${name}`,
    description: descriptionOf(operation.value, method, path),
    category: options.categories[name] ?? categoryOf(method),
    parameters,
    result: result.schema,
    timeout_ms: options.timeout_ms,
    method,
    server: serverOf(server, [memberOf(operation, 'servers'), memberOf(item, 'servers')], options.server_variables),
    path,
    inputs,
    body: body.body === null ? null : { argument: bodyArgument, media: body.body.media },
    credentials,
    idempotency_header,
  };
  const [wrong] = httpToolProblems(tool);
  if (wrong !== undefined)
    throw new Unusable(operation.pointer, `${wrong.pointer.slice(1)} ${wrong.message}`, wrong.help);
  return { tool, notes: [...read.notes, ...offered.notes, ...body.notes, ...result.notes] };
}

const ofPlace = (credentials: readonly HttpCredential[], place: HttpCredential['in']): string[] =>
  credentials.filter((one) => one.in === place).map(({ name }) => name);

/** Methods for whose body OpenAPI and HTTP have no meaning. */
const WITHOUT_BODY: ReadonlySet<Method> = new Set<Method>(['GET', 'HEAD', 'DELETE']);

function bodyOf(
  { root }: ReadDocument,
  operation: Located<Json>,
  method: Method,
): { body: ReadBody | null; notes: ImportProblem[] } {
  const written = memberOf(operation, 'requestBody');
  if (!WITHOUT_BODY.has(method) || written.value === undefined) return { body: readBody(root, written), notes: [] };
  const problem = new Unusable(written.pointer, `a body of \`${method}\` has no meaning that servers agree on`);
  const read = attempt(() => readBody(root, written));
  if ('value' in read && read.value?.required !== true)
    return { body: null, notes: [{ ...problem.problem, message: `${problem.message}; it is not offered` }] };
  throw problem;
}

/** Without optional parameters whose schemas can't be had. @throws Unusable for a required one */
function offeredParameters({ root, dialect }: ReadDocument, read: readonly ReadParameter[]): ReadParameters {
  const [parameters, notes]: [ReadParameter[], ImportProblem[]] = [[], []];
  for (const parameter of read) {
    const made = attempt(() => parameterSchema(new SchemaReader(root, dialect, 'sent', true), parameter));
    if ('value' in made) parameters.push(parameter);
    else if (parameter.required) throw new Unusable(made.problem.pointer, made.problem.message, made.problem.help);
    else
      notes.push({ ...made.problem, message: `${made.problem.message}; \`${parameter.input.name}\` is not offered` });
  }
  return { parameters, notes };
}

/**
 * The arguments: parameters by their names, and the body as one argument, whatever it is. A member that the API adds to
 * a body later so never moves another argument, and a policy names `args.body.amount` where the API has it.
 */
function argumentsOf(
  document: ReadDocument,
  operation: Located<Json>,
  read: ReadParameters['parameters'],
  body: ReadBody | null,
): { inputs: HttpTool['inputs']; bodyArgument: string; parameters: JsonSchemaText } {
  const names = argumentNames(read, operation.pointer);
  const bodyArgument = names.includes('body') ? 'request_body' : 'body';
  if (body !== null && names.includes(bodyArgument))
    throw new Unusable(operation.pointer, 'has parameters `body` and `request_body` beside a body');
  const parameters = schemaWithin(document, 'sent', operation.pointer, (reader) => ({
    type: 'object',
    properties: Object.fromEntries([
      ...read.map((parameter, n) => [names[n] ?? '', parameterSchema(reader, parameter)] as const),
      ...(body === null ? [] : [[bodyArgument, bodySchema(reader, body)] as const]),
    ]),
    required: [
      ...read.flatMap(({ required, input }, n) => (required || input.in === 'path' ? [names[n]] : [])),
      ...(body?.required === true ? [bodyArgument] : []),
    ],
    additionalProperties: false,
  }));
  return { inputs: read.map(({ input }, n) => ({ argument: names[n] ?? '', ...input })), bodyArgument, parameters };
}

/** A name that several places have gets its place: `id_path` and `id_query`. @throws Unusable */
function argumentNames(read: readonly ReadParameter[], pointer: string): string[] {
  const names = read.map(({ input: { name, in: place } }) =>
    read.filter((other) => other.input.name === name).length > 1 ? `${name}_${place}` : name,
  );
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice !== undefined) throw new Unusable(pointer, `has two parameters for the argument \`${twice}\``);
  return names;
}

function parameterSchema(reader: SchemaReader, parameter: ReadParameter): unknown {
  const schema = reader.convert(parameter.schema);
  const { $ref } = (schema ?? {}) as { readonly $ref?: string };
  const problem = styleProblem(parameter, $ref === undefined ? schema : reader.defs[$ref.replace('#/$defs/', '')]);
  if (problem !== null) throw problem;
  return parameter.description === null || typeof schema !== 'object'
    ? schema
    : { ...schema, description: parameter.description };
}

function bodySchema(reader: SchemaReader, body: ReadBody): unknown {
  const schema = body.schema === null ? {} : reader.convert(body.schema);
  const problem = body.media === 'application/json' ? null : formProblem(body, schema);
  if (problem !== null) throw problem;
  return body.description === null || typeof schema !== 'object'
    ? schema
    : { ...schema, description: body.description };
}

/** The schema of the result. What comes is not checked by it, so an unknown one doesn't keep a tool out. */
function resultOf(
  document: ReadDocument,
  operation: Located<Json>,
): { schema: JsonSchemaText | null; notes: ImportProblem[] } {
  const responses = memberOf(operation, 'responses');
  const read = attempt(() => {
    const schema = resultSchemaOf(document.root, responses);
    return schema === null
      ? null
      : schemaWithin(document, 'received', schema.pointer, (reader) => reader.convert(schema) as Json);
  });
  return 'value' in read
    ? { schema: read.value, notes: [] }
    : {
        schema: null,
        notes: [{ ...read.problem, message: `the result is described as any JSON: ${read.problem.message}` }],
      };
}

function descriptionOf({ summary, description }: Json, method: string, path: string): string {
  const texts = [summary, description].filter((text): text is string => typeof text === 'string' && text.trim() !== '');
  const written = [...new Set(texts.map((text) => text.trim()))].join('\n\n').replaceAll(/[^\P{Cc}\n\t]/gu, ' ');
  return (written === '' ? `${method} ${path}` : written).slice(0, DESCRIPTION_CHARS_MAX).toWellFormed();
}
