// SPDX-License-Identifier: Apache-2.0
import { env, InferenceSession, Tensor } from 'onnxruntime-web';

// One thread: the runtime would start more as worker threads, which the process may not have.
env.wasm.numThreads = 1;
env.logLevel = 'error';

/** Loads a graph of ONNX into the WebAssembly runtime. */
export const openSession = (bytes: Uint8Array): Promise<InferenceSession> =>
  InferenceSession.create(bytes, { executionProviders: ['wasm'], graphOptimizationLevel: 'all' });

export const floats = (data: Float32Array, ...dims: readonly number[]): Tensor => new Tensor('float32', data, dims);
export const integers = (data: readonly number[], ...dims: readonly number[]): Tensor =>
  new Tensor('int64', BigInt64Array.from(data, BigInt), dims);
export const flag = (value: boolean): Tensor => new Tensor('bool', [value], [1]);

/** The numbers of an output. */
export function dataOf(outputs: InferenceSession.ReturnType, name: string): Float32Array {
  const data = outputs[name]?.data;
  if (!(data instanceof Float32Array)) throw new Error(`the model gave no numbers for \`${name}\``);
  return data;
}

export type { InferenceSession, Tensor } from 'onnxruntime-web';
