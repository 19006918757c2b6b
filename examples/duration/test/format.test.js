import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, parse } from '../src/index.js';

test('writes the largest units first', () => {
  assert.equal(format(5_400_000), '1h 30m');
  assert.equal(format(0), '0s');
  assert.equal(format(-1_500), '-1s 500ms');
});

test('what it writes can be read again', () => {
  for (const ms of [1, 999, 60_500, 90_061_001]) assert.equal(parse(format(ms)), ms);
});
