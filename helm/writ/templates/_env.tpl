{{/* Environment of containers. The config.env.ts of a process declares its variables; a test compares both. */}}

{{/* What Node.js itself reads: CAs. */}}
{{- define "writ.nodeEnv" -}}
{{- if .Values.extraCa.configMap }}
- {name: NODE_EXTRA_CA_CERTS, value: /etc/writ/extra-ca/{{ .Values.extraCa.key }}}
{{- end }}
{{- end -}}

{{/* The way to the world of the components that go there. Takes a dict of root and component. */}}
{{- define "writ.outboundEnv" -}}
{{- $proxy := .root.Values.proxy -}}
{{- if and (ne .component "kernel") (or $proxy.url $proxy.existingSecret) }}
{{- if $proxy.url }}
- {name: WRIT_OUTBOUND_PROXY, value: {{ $proxy.url | quote }}}
{{- else }}
- name: WRIT_OUTBOUND_PROXY
  valueFrom: {secretKeyRef: {name: {{ $proxy.existingSecret | quote }}, key: {{ $proxy.key | quote }}}}
{{- end }}
- {name: WRIT_OUTBOUND_DIRECT, value: {{ $proxy.direct | quote }}}
- {name: WRIT_OUTBOUND_DNS, value: {{ $proxy.dns | quote }}}
{{- end }}
{{- end -}}

{{/* The variables that every process has. Takes a dict of root and component. */}}
{{- define "writ.commonEnv" -}}
- {name: WRIT_DEPLOYMENT, value: {{ .root.Values.deployment | quote }}}
- {name: WRIT_SHARD, value: {{ .root.Values.shard | quote }}}
- {name: WRIT_NATS_URL, value: {{ include "writ.natsUrl" .root | quote }}}
- {name: WRIT_NATS_PASSWORD_FILE, value: /etc/writ/keys/nats-password}
{{- with include "writ.natsCaFile" .root }}
- {name: WRIT_NATS_CA_FILE, value: {{ . | quote }}}
{{- end }}
- {name: WRIT_LOG_LEVEL, value: {{ default .root.Values.logLevel (index .root.Values .component).logLevel | quote }}}
- {name: WRIT_OPS_HOST, value: 0.0.0.0}
- {name: WRIT_OPS_PORT, value: {{ .root.Values.ops.port | quote }}}
- {name: WRIT_START_WAIT_MS, value: {{ .root.Values.startWaitMs | int64 | quote }}}
{{- with .root.Values.otlpEndpoint }}
- {name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }}}
{{- end }}
{{- include "writ.outboundEnv" . }}
{{- end -}}

{{/* What operators add: settings of the process by the names of its variables, then free ones. Takes a dict of root and component. */}}
{{- define "writ.extraEnv" -}}
{{- $values := index .root.Values .component -}}
{{- range $name, $value := $values.settings }}
- {name: {{ $name | quote }}, value: {{ if kindIs "float64" $value }}{{ $value | int64 | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}}
{{- end }}
{{- include "writ.nodeEnv" .root }}
{{- with concat .root.Values.extraEnv $values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
