// SPDX-License-Identifier: Apache-2.0
import { isImage, referencesFrom } from './image-reference.ts';

const [A, B] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];

test('the configured image is pulled by its own reference, and others of the same repository by their digests', () => {
  const referenceOf = referencesFrom('registry.example:5000/team/sandbox:1.2', A);
  expect(referenceOf(A)).toBe('registry.example:5000/team/sandbox:1.2');
  expect(referenceOf(B)).toBe(`registry.example:5000/team/sandbox@${B}`);
  expect(referencesFrom(`sandbox:1.2@${A}`, A)(A)).toBe(`sandbox:1.2@${A}`);
  expect(() => referenceOf('sandbox:1.2')).toThrow('no such image');
});

test.each(['sandbox', 'sandbox:latest'])('`%s` may lead to another image at any time, and is refused', (reference) => {
  expect(() => referencesFrom(reference, A)).toThrow('a tag that never moves');
});

test('a reference of another image than permits name is refused, and one that is none', () => {
  expect(() => referencesFrom(`sandbox@${B}`, A)).toThrow('both must name the same digest');
  expect(() => referencesFrom('Sandbox:1', A)).toThrow('is no reference of an image');
});

test("a runtime's name of an image is that image where it ends with the whole digest", () => {
  expect(
    [A, `registry.example/sandbox@${A}`, `docker-pullable://registry.example/sandbox@${A}`].map((id) => isImage(id, A)),
  ).toEqual([true, true, true]);
  expect(['', B, `x@${B}`, `x@${A}b`, `${A}@${B}`, A.slice(0, -1)].map((id) => isImage(id, A))).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
  // Nothing is an image of no digest.
  expect(isImage('anything', '')).toBe(false);
});
