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

{{/* A URL of Postgres, with the password taken from an earlier variable of the container, or without one. Takes a dict of root, user and optionally password (name of the variable). */}}
{{- define "writ.postgresUrl" -}}
{{- $ca := include "writ.postgresCaFile" .root -}}
{{- $mode := ternary "verify-full" .root.Values.postgres.external.sslmode .root.Values.postgres.bundled.enabled -}}
postgres://{{ .user }}{{ with .password }}:$({{ . }}){{ end }}@{{ include "writ.postgresHost" .root }}:{{ include "writ.postgresPort" .root }}/{{ include "writ.postgresDatabase" .root }}?sslmode={{ $mode }}{{ with $ca }}&sslrootcert={{ . }}{{ end }}
{{- end -}}

{{/* Two variables: a role's password out of a component's Secret, and the URL with it. Takes a dict of root, of, role, password and url (names of the variables). */}}
{{- define "writ.postgresEnv" -}}
- name: {{ .password }}
  valueFrom:
    secretKeyRef:
      name: {{ include "writ.keySecret" (dict "root" .root "of" .of) }}
      key: postgres-{{ .role }}
- name: {{ .url }}
  value: {{ include "writ.postgresUrl" (dict "root" .root "user" .role "password" .password) | quote }}
{{- end -}}
