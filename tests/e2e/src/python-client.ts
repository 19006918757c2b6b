// SPDX-License-Identifier: Apache-2.0
import { pythonPackages } from '@writ/testing';

/** The Python client of MCP, and what it depends on. */
const CLIENT = {
  mcp: '2.3.0',
  'mcp-types': '2.3.0',
  'annotated-types': '0.8.0',
  anyio: '4.16.0',
  attrs: '26.1.0',
  h11: '0.16.0',
  httpcore2: '2.16.2',
  httpx2: '2.16.2',
  idna: '3.20',
  jsonschema: '4.26.0',
  'jsonschema-specifications': '2025.9.1',
  'opentelemetry-api': '1.45.2',
  pydantic: '2.14.4',
  'pydantic-core': '2.50.5',
  pyjwt: '2.15.1',
  'python-multipart': '0.0.34',
  referencing: '0.37.0',
  'rpds-py': '2026.9.1',
  'sse-starlette': '3.7.0',
  starlette: '1.10.0',
  truststore: '0.10.5',
  'typing-extensions': '4.16.0',
  'typing-inspection': '0.4.5',
};

/** The OpenAI Agents SDK, and what it depends on beside that client. */
const AGENTS = {
  'openai-agents': '0.24.0',
  openai: '3.57.0',
  certifi: '2026.10.19.post1',
  'charset-normalizer': '3.5.3',
  griffelib: '2.4.1',
  jiter: '0.19.0',
  requests: '2.34.2',
  sniffio: '1.3.1',
  urllib3: '2.8.0',
  websockets: '16.1.1',
};

/** A value of `PYTHONPATH` with the official Python client of MCP; null where it can't be installed. */
export const pythonClient = (): Promise<string | null> => pythonPackages(CLIENT);

/** The same with the OpenAI Agents SDK, which has a client of its own around that one. */
export const pythonAgents = (): Promise<string | null> => pythonPackages({ ...AGENTS, ...CLIENT });
