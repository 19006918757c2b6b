{{/* Which Secret or ConfigMap holds what. */}}

{{/* The Secret of a component, of `migrate` or of `platform-key`. Takes a dict of root and of: kernel, ledger, executor, orchestrator, migrate, platformKey. */}}
{{- define "writ.keySecret" -}}
{{- $suffix := ternary "platform-key" .of (eq .of "platformKey") -}}
{{- default (printf "%s-%s" (include "writ.fullname" .root) $suffix) (index .root.Values.keys.existingSecrets .of) -}}
{{- end -}}

{{- define "writ.publicKeysConfigMap" -}}
{{- default (printf "%s-public-keys" (include "writ.fullname" .)) .Values.keys.existingPublicKeys -}}
{{- end -}}

{{/* The CA of the bundled Postgres and NATS. */}}
{{- define "writ.caConfigMap" -}}
{{- printf "%s-ca" (include "writ.fullname" .) -}}
{{- end -}}
