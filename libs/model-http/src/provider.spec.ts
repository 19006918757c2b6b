// SPDX-License-Identifier: Apache-2.0
import { readArguments } from './provider.ts';

describe('arguments as a provider streamed them', () => {
  it('keep the names that the model wrote, whatever was parsed before', () => {
    // In this order JSON.parse confuses the second one's quote with the first one's backslash.
    expect(['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}'].map((text) => readArguments([text]))).toEqual([
      { args: { h: [], '\\': 0 } },
      { args: { h: 1, '"': 2 } },
    ]);
  });

  it.each(['', ' \n'])('that are no text are none: %j', (text) => {
    expect([readArguments([text]), readArguments([undefined]), readArguments([])]).toEqual([
      { args: {} },
      { args: {} },
      { args: {} },
    ]);
  });

  it('that are an object are kept unchanged', () => {
    expect(readArguments([{ path: 'a', '"': 2 }])).toEqual({ args: { path: 'a', '"': 2 } });
  });

  it.each([[[]], [null], [1], [true]])('that are a value of another kind are a problem of the call: %j', (value) => {
    expect(readArguments([value])).toEqual({
      args: {},
      problem: expect.stringContaining('must be a JSON object') as string,
    });
  });

  it('that come twice are a problem of the call', () => {
    expect(readArguments(['{"path":"a"}', { path: 'b' }])).toEqual({
      args: {},
      problem: expect.stringContaining('more than once') as string,
    });
  });

  it.each(['[]', 'null', '1', '"a"', '{"a":1', '{"\\u0061":1,}'])(
    'that are no object are a problem of the call: %s',
    (text) => {
      expect(readArguments([text])).toEqual({
        args: {},
        problem: expect.stringMatching(/must be a JSON object|no JSON that is taken/) as string,
      });
    },
  );
});
