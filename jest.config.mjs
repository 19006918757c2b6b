// One configuration for every project; each project's `test` script sets --rootDir to itself.
export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@writ/source', 'node', 'node-addons'] },
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // A suite shares its machine with others: this only ends what hangs, and no test measures time by it.
  testTimeout: 30_000,
  coverageProvider: 'v8',
  transform: {
    '^.+\\.ts$': ['@swc/jest', {
      swcrc: false,
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
        target: 'es2023',
        keepClassNames: true,
      },
      module: { type: 'es6' },
    }],
  },
};
