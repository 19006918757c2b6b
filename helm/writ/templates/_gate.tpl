{{/* Gates: the order of update, see docs/adr. */}}

{{/*
An init container that lets a process start only where no process runs that it would be at odds with: every pod of an earlier component has this version or a newer
one, and every pod of a later component this version or an older one. It asks the pods themselves, by the headless Services, and needs no right in the cluster.
Takes a dict of root and component.
*/}}
{{- define "writ.gate" -}}
{{- $order := include "writ.components" . | fromJsonArray -}}
{{- $component := .component -}}
{{- $seen := false -}}
- name: gate
  image: {{ include "writ.image" .root }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args:
    - services/setup/main.js
    - gate
    - --port={{ .root.Values.ops.port }}
    - --silent-seconds={{ .root.Values.updateOrder.silentSeconds }}
  {{- range $order }}
  {{- if eq . $component }}
  {{- $seen = true }}
  {{- else }}
    - --{{ ternary "later" "earlier" $seen }}={{ . }}={{ include "writ.opsServiceName" (dict "root" $.root "component" .) }}:{{ $.root.Values.ops.port }}
  {{- end }}
  {{- end }}
  securityContext:
    {{- include "writ.containerSecurityContext" . | nindent 4 }}
  resources:
    {{- toYaml .root.Values.updateOrder.resources | nindent 4 }}
{{- end -}}
