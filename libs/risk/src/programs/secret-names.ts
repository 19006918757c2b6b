// SPDX-License-Identifier: Apache-2.0
import { SECRET, type Field } from '../shell/field.ts';

/** Files that hold credentials of a person or a machine, anywhere outside the workspace. */
const CREDENTIALS =
  /(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.ssh\/?|\.ssh\/(?:id_\w+|identity|\*)|\.aws\/?|\.gnupg\/?|\.aws\/credentials|\.netrc|\.npmrc|\.pypirc|\.docker\/config\.json|\.kube\/config|\.gnupg\/\S*|\.git-credentials|\.pgpass|\.vault-token|\.config\/(?:gcloud|gh)(?:\/\S*)?|shadow|gshadow|sudoers|proc\/(?:\d+|self|\*)\/environ)$/;

/** Names of files that hold secrets, in the workspace too: they may be read there, but not sent away. */
const KEPT =
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$|dist$|defaults?$|schema$|test$)[\w-]+)*|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|tfstate|ovpn)|id_(?:rsa|dsa|ecdsa|ed25519)|\.?credentials(?:\.\w+)?|secrets?\.(?:ya?ml|json|toml|env|txt|ini)|service-account[\w.-]*\.json|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials|\.my\.cnf|\.vault-token|master\.key)$/;

/** Variables that are named after a secret. */
const SECRET_NAME =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|CREDENTIALS)(?:_ID|_B64)?$/;

/** Characters at the end of a path that are searched for its name: the patterns would scan a longer text repeatedly. */
const PATH_END = 512;

/** Answers whether the path is one of credentials. */
export const isCredential = (path: string): boolean => CREDENTIALS.test(path.slice(-PATH_END));

/** Answers whether a file of that path holds secrets, credentials among them. */
export const isSecretFile = (path: string): boolean =>
  KEPT.test(path.slice(-PATH_END)) || CREDENTIALS.test(path.slice(-PATH_END));

/** Answers whether the variable is named after a secret. */
export const isSecretName = (variable: string): boolean => SECRET_NAME.test(variable);

/** Answers whether a secret may be part of the word. */
export const holdsSecret = ({ text }: Field): boolean => text.includes(SECRET);
