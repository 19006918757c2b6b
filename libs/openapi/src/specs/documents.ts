// SPDX-License-Identifier: Apache-2.0
//
// Documents in the shapes of well-known public ones.

/** In the shape of the pet store, in OpenAPI 3.0. */
export const PETSTORE_30 = `
openapi: 3.0.3
info: {title: Pet store, version: 1.0.0}
servers:
  - url: https://{region}.outside.example/v2/
    variables:
      region: {default: eu, enum: [eu, us]}
security: [{api_key: []}]
paths:
  /pets:
    parameters:
      - {$ref: '#/components/parameters/trace'}
    get:
      operationId: listPets
      summary: Lists pets.
      parameters:
        - {name: limit, in: query, schema: {type: integer, minimum: 0, exclusiveMinimum: true, maximum: 100}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
        - {name: status, in: query, explode: false, schema: {type: array, items: {type: string, enum: [sold, pending]}}}
        - {name: session, in: cookie, schema: {type: string}}
      responses:
        '200':
          description: ok
          content:
            application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}
    post:
      operationId: createPet
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
      responses: {'201': {description: made}}
  /pets/{petId}:
    get:
      operationId: showPet
      parameters:
        - {name: petId, in: path, required: true, schema: {type: string}}
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
        default: {description: error, content: {application/json: {schema: {type: object}}}}
    delete:
      parameters:
        - {name: petId, in: path, required: true, schema: {type: string}}
      responses: {'204': {description: gone}}
    put:
      operationId: oldUpdate
      deprecated: true
      parameters:
        - {name: petId, in: path, required: true, schema: {type: string}}
      responses: {'200': {description: ok}}
  /pets/{petId}/photo:
    post:
      operationId: uploadPhoto
      parameters:
        - {name: petId, in: path, required: true, schema: {type: string}}
      requestBody: {required: true, content: {multipart/form-data: {schema: {type: object}}}}
      responses: {'200': {description: ok}}
components:
  securitySchemes:
    api_key: {type: apiKey, in: header, name: X-Api-Key}
    sign_in: {type: oauth2, flows: {}}
  parameters:
    trace: {name: X-Trace, in: header, schema: {type: string}}
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: integer, format: int64, readOnly: true}
        name: {type: string, example: Rex}
        nick: {type: string, nullable: true}
        parent: {$ref: '#/components/schemas/Pet'}
        password: {type: string, writeOnly: true}
`;

/** With OAuth 2, recursion, \`deepObject\`, a form, and unions, in OpenAPI 3.1. */
export const SEARCH_31 = {
  openapi: '3.1.0',
  info: { title: 'Search', version: '1' },
  servers: [{ url: 'https://api.outside.example/v1' }],
  paths: {
    '/search': {
      get: {
        operationId: 'search.find',
        security: [{ oauth: ['read'] }, {}],
        parameters: [
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            schema: { type: 'object', properties: { a: { type: ['string', 'null'] }, n: { type: 'number' } } },
          },
          { name: 'ids', in: 'query', style: 'pipeDelimited', schema: { type: 'array', items: { type: 'integer' } } },
          { name: 'id', in: 'query', schema: { type: 'integer' } },
          { name: 'id', in: 'header', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'ok',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Tree' } } },
          },
        },
      },
    },
    '/forms/{a}.{b}': {
      post: {
        operationId: 'send form!',
        parameters: [
          { name: 'a', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'b', in: 'path', required: true, schema: { type: 'array', items: { type: 'string' } } },
        ],
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                properties: { to: { type: 'string' }, cc: { type: 'array', items: { type: 'string' } } },
              },
            },
          },
        },
        responses: {},
      },
    },
  },
  components: {
    securitySchemes: { oauth: { type: 'oauth2', flows: {} } },
    schemas: {
      Tree: {
        type: 'object',
        properties: { value: {}, children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
      },
    },
  },
} as const;
