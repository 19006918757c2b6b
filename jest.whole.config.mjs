// For tests of whole processes.
import base from './jest.config.mjs';

export default { ...base, testEnvironment: new URL('tests/jest-environment.mjs', import.meta.url).pathname };
