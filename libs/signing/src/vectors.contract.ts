// SPDX-License-Identifier: Apache-2.0
//
// Published vectors that several specs share. Not part of the package.
import { SignatureError } from './signature-error.ts';

/**
 * The key of RFC 8032 §7.1 test 1, whose JWK and thumbprint are in RFC 8037 appendix A: PKCS #8 around the published
 * seed.
 */
export const RFC8032_PEM = pemOf('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');
export const RFC8037_JWK = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const;

/** The keys of Go's note package: name, seed and verifier key of PeterNeumann; verifier key of EnochRoot. */
export const PETER_PEM = pemOf('810a1402d5146c8d84f2443330f54080ebf98ee17d9c74f6252fc5d5c7283173');
export const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
export const ENOCH = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop';
export const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
export const PETER_LINE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
export const ENOCH_LINE =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n';

/** A checkpoint of Go's checksum database and the key for it in Go. */
export const SUMDB = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8';
export const SUMDB_NOTE =
  'go.sum database tree\n31700353\nqINS1GRFhWHwdkUeqLEoP4yEMkTBBzxBkGwGQlVlVcs=\n\n' +
  '— sum.golang.org Az3grnmrIUEDFqHzAElIQCPNoRFRAAdFo47fooyWKMHb89k11GJh5zHIfNCOBmwn/C3YI8oW9/C8DJ87F61QqspBYwM=\n';

function pemOf(seedHex: string): string {
  // RFC 8410 §7: the fixed head of a PKCS #8 Ed25519 key, then the seed.
  const der = Buffer.from(`302e020100300506032b657004220420${seedHex}`, 'hex');
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`;
}

/** The reason of the SignatureError that `run` throws; `none` if it throws nothing. Other errors are rethrown. */
export function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof SignatureError) return error.reason;
    throw error;
  }
  return 'none';
}
