// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, STORE_REGISTER, VECDB_DELETE, VECDB_QUERY, VECDB_UPSERT } from '@writ/contract';
import fc from 'fast-check';
import { changeOfCall, queryOfCall, storeCallFaults } from './call-arguments.ts';
import { changeDigest } from './prepare-change.ts';

const TOOLS = [STORE_REGISTER, VECDB_QUERY, VECDB_UPSERT, VECDB_DELETE] as const;
/** Values that callers send in place of what a tool takes. */
const anything = fc.jsonValue({ maxDepth: 4 });
const member = fc.constantFrom(
  ...[
    'store',
    'text',
    'embedding',
    'k',
    'mode',
    'filters',
    'documents',
    'document_ids',
    'name',
    'label',
    'text_config',
  ],
);
const wild = fc.dictionary(member, anything);
const document = fc.record(
  {
    document_id: fc.string({ unit: 'binary', maxLength: 20 }),
    text: fc.string({ unit: 'binary', maxLength: 200 }),
    source: fc.string({ maxLength: 20 }),
    metadata: fc.dictionary(fc.string({ maxLength: 8 }), fc.oneof(fc.string(), fc.double(), fc.boolean())),
  },
  { requiredKeys: ['document_id', 'text'] },
);
const nearly = fc.record({ store: fc.string(), documents: fc.array(document, { maxLength: 4 }) });

describe('the arguments of a call on a store', () => {
  it('whatever they are, have problems with places in them, or none', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TOOLS), fc.oneof(wild, nearly), (tool, args) => {
        if (argumentFaults(tool, args).length > 0) return;
        for (const { pointer, message } of storeCallFaults(tool.tool_id, args)) {
          expect(pointer).toMatch(/^(?:$|\/)/);
          expect(message).not.toBe('');
        }
      }),
    );
  });

  it('without problems are read, and the same arguments have the same digest', () => {
    fc.assert(
      fc.property(nearly, (args) => {
        if (argumentFaults(VECDB_UPSERT, args).length > 0 || storeCallFaults(VECDB_UPSERT.tool_id, args).length > 0)
          return;
        const copy = JSON.parse(JSON.stringify(args)) as typeof args;
        const [digest, again] = [args, { ...copy, documents: copy.documents.reverse() }].map((one) =>
          changeDigest(changeOfCall(VECDB_UPSERT.tool_id, 'store', one)),
        );
        expect(again).toBe(digest);
      }),
    );
  });

  it('have no number in metadata that the digest of a change does not take', () => {
    const documents = [{ document_id: 'a', text: '', metadata: { size: -(2 ** 53) } }];
    expect(storeCallFaults(VECDB_UPSERT.tool_id, { store: 's', documents })).toMatchObject([
      { pointer: '/documents/0/metadata/size' },
    ]);
  });

  it('of a query name the mode only if they have one', () => {
    expect(queryOfCall({ store: 's', text: 'x' })).toMatchObject({ mode: null, query: { text: 'x', k: 8 } });
    expect(queryOfCall({ store: 's', text: 'x', mode: 'text' })).toMatchObject({ mode: 'text' });
  });

  it('name the place of a problem as the caller wrote it', () => {
    const faults = (documents: unknown) => storeCallFaults(VECDB_UPSERT.tool_id, { store: 's', documents });
    expect(
      faults([
        { document_id: 'a', text: 'x' },
        { document_id: '', text: 'x' },
      ]),
    ).toMatchObject([{ pointer: '/documents/1/document_id' }]);
    expect(storeCallFaults(VECDB_DELETE.tool_id, { store: 's', document_ids: ['a', 'a'] })).toMatchObject([
      { message: expect.stringContaining('twice') as string },
    ]);
    expect(storeCallFaults(STORE_REGISTER.tool_id, { text_config: 'klingon' })).toMatchObject([
      { pointer: '/text_config' },
    ]);
  });
});
