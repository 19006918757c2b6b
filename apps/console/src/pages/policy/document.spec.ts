// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { documentOf, draftOf, problemsIn } from './document.ts';

describe('a policy set in the editor', () => {
  it('comes back as it was from its two texts', () => {
    const documents = fc
      .tuple(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()))
      .map(([cedar, others]) => JSON.parse(JSON.stringify({ ...others, cedar })) as Record<string, unknown>);
    fc.assert(
      fc.property(documents, (document) => {
        expect(documentOf(draftOf(document)).document).toEqual(document);
      }),
    );
  });

  it('shows no character in its settings that is not seen', () => {
    const document = { name: 'a\u202Eb\u0007\u{E0041}', cedar: '' };
    const draft = draftOf(document);
    expect(draft.settings).toContain('a\\u202eb\\u0007\\udb40\\udc41');
    expect(documentOf(draft).document).toEqual(document);
  });

  it.each(['', '{', '[]', 'null', '"a"', '{"cedar": "permit"}'])(
    'has no document while its settings are %j',
    (settings) => {
      expect(documentOf({ rules: '', settings })).toMatchObject({ document: null, problem: { line: null } });
    },
  );
});

describe('the message of the server about a set', () => {
  it('is split into problems with their places', () => {
    expect(problemsIn('3:13: the rule has no id; add one; 7:1: odd; /ttl/approval_ms: too long')).toEqual([
      { line: 3, column: 13, text: 'the rule has no id; add one' },
      { line: 7, column: 1, text: 'odd' },
      { line: null, column: null, text: '/ttl/approval_ms: too long' },
    ]);
  });

  it('that has no place is one problem', () => {
    expect(problemsIn('the document: no name')).toEqual([{ line: null, column: null, text: 'the document: no name' }]);
  });
});
