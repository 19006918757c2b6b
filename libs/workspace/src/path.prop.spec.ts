// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import { Fault } from '@writ/contract';
import fc from 'fast-check';
import { isWorkspacePath, parsePath, ROOT, segmentsOf } from './path.ts';
import { resolveLinks } from './resolve-links.ts';
import { BlobMap } from './tree-model.contract.ts';

const piece = fc.constantFrom(
  '..',
  '.',
  '',
  'a',
  'b',
  'workspace',
  '...',
  '..a',
  ' ',
  '\\',
  '%2e%2e',
  '\0',
  '\n',
  '\u007f',
  '\ud800',
  '~',
  'C:',
  'ﬁle',
  '\u202e',
  'x'.repeat(256),
);
const hostile = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('/')),
  fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('/')}`),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** Hundreds of trees per property: on a busy machine more than the default time limit of a test. */
const LONG_MS = 60_000;

describe('hostile paths', () => {
  it('become a path inside the workspace, or a fault that prints', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        try {
          const path = parsePath(text);
          expect(posix.join('/workspace', path)).toBe(path === ROOT ? '/workspace' : `/workspace/${path}`);
          expect(segmentsOf(path)).not.toContain('..');
          expect(parsePath(path)).toBe(path);
          expect(parsePath(`/workspace/${path}`)).toBe(path);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
          expect(['path.escape', 'path.invalid']).toContain((error as Fault).code);
          expect((error as Fault).message).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it(
    'never leave through links, whatever their targets',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            hostile.filter((target) => target.length > 0 && target.isWellFormed()),
            { minLength: 3, maxLength: 3 },
          ),
          hostile,
          async (targets, asked) => {
            const blobs = new BlobMap();
            const [a = '', b = '', c = ''] = targets;
            const root = await blobs.tree({ 'd/a': { link: a }, 'd/e/b': { link: b }, a: { link: c }, 'b/a': 'file' });
            for (const text of [asked, 'd/a', 'd/e/b/a', 'a/b', 'd/a/a/a']) {
              try {
                const { path } = await resolveLinks(blobs.reader, root, parsePath(text));
                expect(isWorkspacePath(path)).toBe(true);
              } catch (error) {
                expect(error).toBeInstanceOf(Fault);
                expect(['path.escape', 'path.invalid', 'file.kind', 'file.not_found']).toContain((error as Fault).code);
              }
            }
          },
        ),
        { numRuns: 300 },
      );
    },
    LONG_MS,
  );
});
