{{/* Refuses invalid combinations with a message that names the value to set. values.schema.json has the types of values. */}}

{{/* A registry, with a port and a path where it has them. Takes a dict of name and registry. */}}
{{- define "writ.checkRegistry" -}}
{{- if and .registry (not (regexMatch "^[A-Za-z0-9.-]+(:[0-9]+)?(/[a-z0-9]+([._/-][a-z0-9]+)*)?$" .registry)) -}}
{{- fail (printf "`%s` is `%s`, which is no registry: write a host without scheme or final slash, `registry.example.com` or `registry.internal:5000` for example" .name .registry) -}}
{{- end -}}
{{- end -}}

{{/* Takes a dict of name and image. */}}
{{- define "writ.checkImage" -}}
{{- include "writ.checkRegistry" (dict "name" (printf "%s.registry" .name) "registry" .image.registry) -}}
{{- $repository := .image.repository -}}
{{- $host := regexFind "^[^/]+/" $repository | trimSuffix "/" -}}
{{- /* As every registry client reads a reference: a first part with a dot or a port is a host. */ -}}
{{- if or (contains "." $host) (contains ":" $host) (eq $host "localhost") -}}
{{- $path := trimPrefix (printf "%s/" $host) $repository -}}
{{- fail (printf "`%s.repository` is `%s`, which begins with a registry: set `%s.registry` to `%s` and `%s.repository` to `%s`" .name $repository .name $host .name $path) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z0-9]+([._/-]+[a-z0-9]+)*$" $repository) -}}
{{- fail (printf "`%s.repository` is `%s`, which is no repository: write lower-case parts such as `writ/writ`, and set the version in `%s.tag` or `%s.digest`" .name $repository .name .name) -}}
{{- end -}}
{{- if eq (default "" .image.tag) "latest" -}}
{{- fail (printf "`%s.tag` is `latest`, which names another image tomorrow: set the version to run, or `%s.digest`" .name .name) -}}
{{- end -}}
{{- end -}}

{{/* Quantities of Kubernetes, by the names of resources. Takes a dict of name and amounts. */}}
{{- define "writ.checkAmounts" -}}
{{- range $resource, $amount := default (dict) .amounts -}}
{{- if not (regexMatch "^[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$" (toString $amount)) -}}
{{- fail (printf "`%s.%s` is `%v`, which is no quantity: write `500m` or `2` for processors, and `512Mi` or `2Gi` for bytes" $.name $resource $amount) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Takes a dict of name and resources. */}}
{{- define "writ.checkLimits" -}}
{{- range $part := list "requests" "limits" -}}
{{- include "writ.checkAmounts" (dict "name" (printf "%s.resources.%s" $.name $part) "amounts" (index (default (dict) $.resources) $part)) -}}
{{- end -}}
{{- $limits := default (dict) .resources.limits -}}
{{- range list "cpu" "memory" -}}
{{- if not (index $limits .) -}}
{{- fail (printf "`%s.resources.limits.%s` is missing: set how much a pod may use at most" $.name .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The name of the deployment is in every checkpoint, and the published log keys have it. Rendered without a cluster there is
nothing to look up: the Job that makes keys and the ledger refuse another name too.
*/}}
{{- define "writ.checkDeployment" -}}
{{- $configMap := include "writ.publicKeysConfigMap" . -}}
{{- $log := lookup "v1" "ConfigMap" .Release.Namespace $configMap | dig "data" "log-keys.json" "{}" | fromJson -}}
{{- range $key := default (list) (get $log "keys") -}}
{{- $name := regexReplaceAll "[+].*$" $key "" -}}
{{- if ne $name $.Values.deployment -}}
{{- fail (printf "`deployment` is `%s`, and the log keys in the ConfigMap `%s` have the name `%s`: no receipt would verify. Set `deployment` to `%s`; another deployment is another release, with keys and a database of its own" $.Values.deployment $configMap $name $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "writ.checkKeys" -}}
{{- $overlap := .Values.keys.rotation.overlap -}}
{{- $unit := get (dict "s" 1 "m" 60 "h" 3600 "d" 86400) (regexFind "[smhd]$" $overlap) -}}
{{- if lt (mul (regexFind "^[0-9]+" $overlap | int64) $unit) 120 -}}
{{- fail (printf "`keys.rotation.overlap` is `%s`, and every pod has to read a new key before it signs: set two minutes or more, such as `15m`" $overlap) -}}
{{- end -}}
{{- if .Values.keys.rotation.enabled -}}
{{- $given := .Values.keys.existingSecrets -}}
{{- if or (not .Values.keys.create) $given.kernel $given.ledger .Values.keys.existingPublicKeys -}}
{{- fail "`keys.rotation.enabled` changes the Secrets that the chart's Job made, and yours come from elsewhere: set it to false, and rotate where they are kept" -}}
{{- end -}}
{{- end -}}
{{- if not .Values.keys.create -}}
{{- range $of, $name := .Values.keys.existingSecrets -}}
{{- $needed := or (not (has $of (list "migrate" "platformKey"))) (and (eq $of "migrate") $.Values.migrations.enabled) (and (eq $of "platformKey") $.Values.tests.enabled) -}}
{{- if and $needed (not $name) -}}
{{- fail (printf "there is no source of keys for `%s`: set `keys.create` to true, or name a Secret of yours in `keys.existingSecrets.%s`" $of $of) -}}
{{- end -}}
{{- end -}}
{{- if not .Values.keys.existingPublicKeys -}}
{{- fail "there is no source of public keys: set `keys.create` to true, or name a ConfigMap of yours in `keys.existingPublicKeys`" -}}
{{- end -}}
{{- if or .Values.postgres.bundled.enabled .Values.nats.bundled.enabled -}}
{{- fail "the bundled Postgres and NATS take their certificates and passwords from the Job that makes keys: set `keys.create` to true, or both `bundled.enabled` to false" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "writ.checkParts" -}}
{{- $postgres := .Values.postgres -}}
{{- if and $postgres.bundled.enabled $postgres.external.host -}}
{{- fail "Postgres is both bundled and external: set `postgres.bundled.enabled` to false, or leave `postgres.external.host` empty" -}}
{{- end -}}
{{- if not (or $postgres.bundled.enabled $postgres.external.host) -}}
{{- fail "there is no Postgres: set `postgres.external.host`, or for a trial `postgres.bundled.enabled` to true" -}}
{{- end -}}
{{- if and .Values.migrations.enabled (not $postgres.bundled.enabled) (not $postgres.external.admin.existingSecret) -}}
{{- fail "migrations need a role that may create roles and schemas: name the Secret with its password in `postgres.external.admin.existingSecret`, or set `migrations.enabled` to false and run them yourself" -}}
{{- end -}}
{{- if and $postgres.external.host (eq $postgres.external.sslmode "verify-full") (not $postgres.external.ca.configMap) (not .Values.extraCa.configMap) (not $postgres.external.ca.public) -}}
{{- fail "nothing says whose certificate Postgres shows: name a ConfigMap with its CA in `postgres.external.ca.configMap`, or set `postgres.external.ca.public` to true where a public CA signed it" -}}
{{- end -}}
{{- if and .Values.nats.bundled.enabled .Values.nats.external.url -}}
{{- fail "NATS is both bundled and external: set `nats.bundled.enabled` to false, or leave `nats.external.url` empty" -}}
{{- end -}}
{{- if not (or .Values.nats.bundled.enabled .Values.nats.external.url) -}}
{{- fail "there is no NATS: set `nats.external.url`, or for a trial `nats.bundled.enabled` to true" -}}
{{- end -}}
{{- if and .Values.nats.external.url (not .Values.nats.external.insecure) -}}
{{- range splitList "," .Values.nats.external.url -}}
{{- if not (hasPrefix "tls://" (trim .)) -}}
{{- fail (printf "`nats.external.url` has `%s`, which isn't encrypted: write `tls://`, or set `nats.external.insecure` to true where the network encrypts" (trim .)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "writ.checkSandbox" -}}
{{- $sandbox := .Values.sandbox -}}
{{- if not (include "writ.sandboxImageId" .) -}}
{{- fail "nothing says which sandbox image calls run in: set `sandbox.image.digest`, or for an image that is loaded into the nodes `sandbox.image.id`" -}}
{{- end -}}
{{- range $part := list "requests" "limits" -}}
{{- include "writ.checkAmounts" (dict "name" (printf "sandbox.quota.%s" $part) "amounts" (index $sandbox.quota $part)) -}}
{{- end -}}
{{- range $part := list "max" "default" "defaultRequest" -}}
{{- include "writ.checkAmounts" (dict "name" (printf "sandbox.limitRange.%s" $part) "amounts" (index $sandbox.limitRange $part)) -}}
{{- end -}}
{{- if include "writ.sandboxIsKubernetes" . -}}
{{- $namespace := include "writ.sandboxNamespace" . -}}
{{- if gt (len $namespace) 63 -}}
{{- fail (printf "the namespace of sandboxes would be `%s`, which has %d characters of at most 63: name a shorter one in `sandbox.namespace.name`" $namespace (len $namespace)) -}}
{{- end -}}
{{- if and (not (include "writ.sandboxShares" .)) (or (eq $namespace "default") (hasPrefix "kube-" $namespace)) -}}
{{- fail (printf "`sandbox.namespace.name` is `%s`, where others work: the admission policy lets nobody but executors make pods there. Name a namespace for sandboxes alone" $namespace) -}}
{{- end -}}
{{- if and (not $sandbox.namespace.create) (not $sandbox.namespace.name) -}}
{{- fail "sandboxes have no namespace: set `sandbox.namespace.create` to true, or name one that is there in `sandbox.namespace.name`" -}}
{{- end -}}
{{- if include "writ.sandboxShares" . -}}
{{- if not $sandbox.namespace.shared -}}
{{- fail "`sandbox.namespace.name` is the namespace of the release, where the keys lie: name another one, or set `sandbox.namespace.shared` to true if whoever holds the executor's token may read them" -}}
{{- end -}}
{{- if or $sandbox.namespace.create $sandbox.admissionPolicy.enabled -}}
{{- fail "sandboxes share the namespace of the release: set `sandbox.namespace.create` and `sandbox.admissionPolicy.enabled` to false" -}}
{{- end -}}
{{- end -}}
{{- if and $sandbox.admissionPolicy.enabled (eq .Values.executor.serviceAccount.create false) (not .Values.executor.serviceAccount.name) -}}
{{- fail "the executor has no service account: set `executor.serviceAccount.create` to true, or name one in `executor.serviceAccount.name`" -}}
{{- end -}}
{{- include "writ.checkClaims" . -}}
{{- if $sandbox.docker.host -}}
{{- fail "`sandbox.docker.host` is for the driver `docker`: leave it empty, or set `sandbox.driver` to docker" -}}
{{- end -}}
{{- else -}}
{{- if $sandbox.agentSandbox.enabled -}}
{{- fail "`sandbox.agentSandbox.enabled` is for the driver `kubernetes`: set it to false, or `sandbox.driver` to kubernetes" -}}
{{- end -}}
{{- if not $sandbox.docker.host -}}
{{- fail "the driver `docker` needs an engine: set `sandbox.docker.host`, or `sandbox.driver` to kubernetes" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Pools of agent-sandbox: each is found by its image and its size, so no two may have both. */}}
{{- define "writ.checkClaims" -}}
{{- if include "writ.sandboxIsClaimed" . -}}
{{- $claims := .Values.sandbox.agentSandbox -}}
{{- if not $claims.pools -}}
{{- fail "sandboxes are claimed, and there is no pool to claim them from: list one in `sandbox.agentSandbox.pools`, `{memoryBytes: 1073741824, replicas: 4}` for example" -}}
{{- end -}}
{{- if or (not $claims.controller.namespace) (not $claims.controller.serviceAccountName) -}}
{{- fail "nobody may make the pods of sandboxes: name the service account of agent-sandbox's controller in `sandbox.agentSandbox.controller.namespace` and `.serviceAccountName`" -}}
{{- end -}}
{{- $names := list -}}
{{- range $pool := $claims.pools -}}
{{- $of := dict "root" $ "pool" $pool -}}
{{- $name := include "writ.warmPoolName" $of -}}
{{- if has $name $names -}}
{{- fail (printf "two of `sandbox.agentSandbox.pools` have the same image and %d bytes of memory: make them one with more `replicas`" (int64 $pool.memoryBytes)) -}}
{{- end -}}
{{- $names = append $names $name -}}
{{- $image := include "writ.warmPoolImage" $of -}}
{{- if and $.Values.sandbox.admissionPolicy.enabled $pool.digest (not (has $image $.Values.sandbox.admissionPolicy.images)) (ne $image (include "writ.sandboxImage" $)) -}}
{{- fail (printf "the admission policy would refuse the pods of a pool: add `%s` to `sandbox.admissionPolicy.images`" $image) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "writ.checkComponents" -}}
{{- range $component := include "writ.components" . | fromJsonArray -}}
{{- $values := index $.Values $component -}}
{{- include "writ.checkLimits" (dict "name" $component "resources" $values.resources) -}}
{{- if and $values.autoscaling.enabled $values.keda.enabled -}}
{{- fail (printf "`%s` has two autoscalers: set `%s.autoscaling.enabled` or `%s.keda.enabled` to false" $component $component $component) -}}
{{- end -}}
{{- if and $values.keda.enabled (or (not $values.keda.serverAddress) (not $values.keda.query)) -}}
{{- fail (printf "KEDA needs a question: set `%s.keda.serverAddress` to the address of Prometheus and `%s.keda.query`" $component $component) -}}
{{- end -}}
{{- if and (not $values.serviceAccount.create) (not $values.serviceAccount.name) -}}
{{- fail (printf "`%s` has no service account: set `%s.serviceAccount.create` to true, or name one in `%s.serviceAccount.name`" $component $component $component) -}}
{{- end -}}
{{- end -}}
{{- if or (and (not .Values.ledger.autoscaling.enabled) (not .Values.ledger.keda.enabled) (eq (int .Values.ledger.replicas) 0)) (and .Values.ledger.keda.enabled (eq (int .Values.ledger.keda.minReplicas) 0)) -}}
{{- fail (printf "no ledger would run, and without one no call is recorded, so none is answered: set `ledger.%s` to 1 or more" (ternary "keda.minReplicas" "replicas" .Values.ledger.keda.enabled)) -}}
{{- end -}}
{{- if or (not .Values.ledger.persistence.enabled) (not .Values.ledger.persistence.size) -}}
{{- fail "the ledger has no volume, and without what it remembers it could sign a second history: set `ledger.persistence.enabled` to true and `ledger.persistence.size`" -}}
{{- end -}}
{{- end -}}

{{- define "writ.checkEdges" -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "the Ingress names no host: set `ingress.hosts`" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.tlsSecretName) -}}
{{- fail "the Ingress would take API keys unencrypted: name a Secret of type kubernetes.io/tls in `ingress.tlsSecretName`" -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (or (not .Values.httpRoute.parentRefs) (not .Values.httpRoute.hostnames)) -}}
{{- fail "the HTTPRoute has no Gateway or no host: set `httpRoute.parentRefs` (a listener with TLS) and `httpRoute.hostnames`" -}}
{{- end -}}
{{- if and .Values.metrics.podMonitor.enabled .Values.metrics.serviceMonitor.enabled -}}
{{- fail "every pod would be scraped twice: set `metrics.podMonitor.enabled` or `metrics.serviceMonitor.enabled` to false" -}}
{{- end -}}
{{- end -}}

{{- define "writ.checks" -}}
{{- include "writ.checkDeployment" . -}}
{{- include "writ.checkRegistry" (dict "name" "imageRegistry" "registry" .Values.imageRegistry) -}}
{{- include "writ.checkImage" (dict "name" "image" "image" .Values.image) -}}
{{- include "writ.checkImage" (dict "name" "sandbox.image" "image" .Values.sandbox.image) -}}
{{- include "writ.checkImage" (dict "name" "postgres.bundled.image" "image" .Values.postgres.bundled.image) -}}
{{- include "writ.checkImage" (dict "name" "nats.bundled.image" "image" .Values.nats.bundled.image) -}}
{{- include "writ.checkParts" . -}}
{{- include "writ.checkKeys" . -}}
{{- include "writ.checkSandbox" . -}}
{{- include "writ.checkComponents" . -}}
{{- include "writ.checkLimits" (dict "name" "jobs" "resources" .Values.jobs.resources) -}}
{{- include "writ.checkLimits" (dict "name" "updateOrder" "resources" .Values.updateOrder.resources) -}}
{{- include "writ.checkLimits" (dict "name" "postgres.bundled" "resources" .Values.postgres.bundled.resources) -}}
{{- include "writ.checkLimits" (dict "name" "nats.bundled" "resources" .Values.nats.bundled.resources) -}}
{{- include "writ.checkEdges" . -}}
{{- end -}}
