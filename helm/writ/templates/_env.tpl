{{/* Environment of containers. Each variable of a process stands in its config.env.ts; a test compares. */}}

{{/* What Node.js itself reads: CAs and proxies. */}}
{{- define "writ.nodeEnv" -}}
{{- if .Values.extraCa.configMap }}
- {name: NODE_EXTRA_CA_CERTS, value: /etc/writ/extra-ca/{{ .Values.extraCa.key }}}
{{- end }}
{{- with .Values.proxy.http }}
- {name: HTTP_PROXY, value: {{ . | quote }}}
{{- end }}
{{- with .Values.proxy.https }}
- {name: HTTPS_PROXY, value: {{ . | quote }}}
{{- end }}
{{- if or .Values.proxy.http .Values.proxy.https }}
- {name: NO_PROXY, value: {{ .Values.proxy.exclude | quote }}}
# Node.js follows the three above only where it is told to.
- {name: NODE_USE_ENV_PROXY, value: "1"}
{{- end }}
{{- end -}}

{{/* The variables that every process has. Takes a dict of root and component. */}}
{{- define "writ.commonEnv" -}}
- {name: WRIT_DEPLOYMENT, value: {{ .root.Values.deployment | quote }}}
- {name: WRIT_SHARD, value: {{ .root.Values.shard | quote }}}
- {name: WRIT_NATS_URL, value: {{ include "writ.natsUrl" .root | quote }}}
- {name: WRIT_NATS_PASSWORD_FILE, value: /etc/writ/keys/nats-password}
{{- with include "writ.natsCaFile" .root }}
- {name: WRIT_NATS_CA_FILE, value: {{ . }}}
{{- end }}
- {name: WRIT_LOG_LEVEL, value: {{ default .root.Values.logLevel (index .root.Values .component).logLevel }}}
- {name: WRIT_OPS_HOST, value: 0.0.0.0}
- {name: WRIT_OPS_PORT, value: {{ .root.Values.ops.port | quote }}}
- {name: WRIT_START_WAIT_MS, value: {{ .root.Values.startWaitMs | int64 | quote }}}
{{- with .root.Values.otlpEndpoint }}
- {name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }}}
{{- end }}
{{- end -}}

{{/* What operators add: settings of the process by the names of its variables, then free ones. Takes a dict of root and component. */}}
{{- define "writ.extraEnv" -}}
{{- $values := index .root.Values .component -}}
{{- range $name, $value := $values.settings }}
- {name: {{ $name }}, value: {{ if kindIs "float64" $value }}{{ $value | int64 | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}}
{{- end }}
{{- include "writ.nodeEnv" .root }}
{{- with concat .root.Values.extraEnv $values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
