{{/* How NATS is reached. */}}

{{- define "writ.natsUrl" -}}
{{- if .Values.nats.bundled.enabled -}}
{{- printf "tls://%s-nats:4222" (include "writ.fullname" .) -}}
{{- else -}}
{{- .Values.nats.external.url -}}
{{- end -}}
{{- end -}}

{{/* The ports of every server that the URL names, without repetition. */}}
{{- define "writ.natsPorts" -}}
{{- if .Values.nats.bundled.enabled -}}
[4222]
{{- else -}}
{{- $ports := list -}}
{{- range splitList "," .Values.nats.external.url -}}
{{- $ports = append $ports (default "4222" (regexFind ":[0-9]+$" . | trimPrefix ":") | int) -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end -}}
{{- end -}}

{{- define "writ.natsCaFile" -}}
{{- if or .Values.nats.bundled.enabled .Values.nats.external.ca.configMap -}}
/etc/writ/tls/nats-ca.crt
{{- end -}}
{{- end -}}
