{{/* How Postgres is reached. */}}

{{- define "writ.postgresHost" -}}
{{- if .Values.postgres.bundled.enabled -}}
{{- printf "%s-postgres" (include "writ.fullname" .) -}}
{{- else -}}
{{- .Values.postgres.external.host -}}
{{- end -}}
{{- end -}}

{{- define "writ.postgresPort" -}}
{{- ternary 5432 (int .Values.postgres.external.port) .Values.postgres.bundled.enabled -}}
{{- end -}}

{{- define "writ.postgresDatabase" -}}
{{- ternary "writ" .Values.postgres.external.database .Values.postgres.bundled.enabled -}}
{{- end -}}

{{/* The CA that Postgres' certificate is checked against: path of the file, empty where the system's CAs do. */}}
{{- define "writ.postgresCaFile" -}}
{{- if or .Values.postgres.bundled.enabled .Values.postgres.external.ca.configMap -}}
/etc/writ/tls/postgres-ca.crt
{{- end -}}
{{- end -}}

{{/*
A URL of Postgres. The password comes from a file, so that it stands in no environment. Takes a dict of root and user, and optionally passwordFile.
*/}}
{{- define "writ.postgresUrl" -}}
{{- $ca := include "writ.postgresCaFile" .root -}}
{{- $mode := ternary "verify-full" .root.Values.postgres.external.sslmode .root.Values.postgres.bundled.enabled -}}
postgres://{{ .user }}@{{ include "writ.postgresHost" .root }}:{{ include "writ.postgresPort" .root }}/{{ include "writ.postgresDatabase" .root }}?sslmode={{ $mode }}{{ with $ca }}&sslrootcert={{ . }}{{ end }}{{ with .passwordFile }}&password_file={{ . }}{{ end }}
{{- end -}}

{{/* The variable with the URL of a role, whose password is in the component's key set. Parameters, as a dict: root, role and url (its name). */}}
{{- define "writ.postgresEnv" -}}
- name: {{ .url | quote }}
  value: {{ include "writ.postgresUrl" (dict "root" .root "user" .role "passwordFile" (printf "/etc/writ/keys/postgres-%s" .role)) | quote }}
{{- end -}}
