{{/* The pod of a component. */}}

{{- define "writ.podAnnotations" -}}
kubectl.kubernetes.io/default-container: {{ .component }}
{{- with .checksum }}
checksum/config: {{ . }}
{{- end }}
{{- end -}}

{{/*
A pod template. Takes a dict of root and component, and as YAML texts: env (own variables), volumes and mounts (own ones), ports, checksum (of what the pod reads
only at its start), and token ("true" for a pod that talks to the API server).
*/}}
{{- define "writ.podTemplate" -}}
{{- $values := index .root.Values .component -}}
metadata:
  labels:
    {{- include "writ.labels" (merge (dict "labels" $values.podLabels) .) | nindent 4 }}
  annotations:
    {{- include "writ.oneMap" (list (include "writ.podAnnotations" .) $values.podAnnotations .root.Values.commonAnnotations) | nindent 4 }}
spec:
  serviceAccountName: {{ include "writ.serviceAccountName" . | quote }}
  automountServiceAccountToken: {{ ternary true false (eq (default "" .token) "true") }}
  enableServiceLinks: false
  {{- include "writ.imagePullSecrets" .root | nindent 2 }}
  securityContext:
    {{- include "writ.podSecurityContext" .root.Values.securityContext | nindent 4 }}
  terminationGracePeriodSeconds: {{ include "writ.gracePeriodSeconds" . }}
  {{- include "writ.scheduling" . | nindent 2 }}
  {{- if .root.Values.updateOrder.enabled }}
  initContainers:
    {{- include "writ.gate" . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .component | quote }}
      image: {{ include "writ.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [services/{{ .component }}/main.js]
      env:
        {{- include "writ.commonEnv" . | trim | nindent 8 }}
        {{- .env | trim | nindent 8 }}
        {{- include "writ.extraEnv" . | trim | nindent 8 }}
      ports:
        {{- with .ports }}
        {{- . | trim | nindent 8 }}
        {{- end }}
        - {name: ops, containerPort: {{ .root.Values.ops.port }}, protocol: TCP}
      {{- include "writ.probes" . | nindent 6 }}
      {{- include "writ.lifecycle" . | nindent 6 }}
      securityContext:
        {{- include "writ.containerSecurityContext" . | nindent 8 }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      volumeMounts:
        {{- include "writ.volumeMounts" . | trim | nindent 8 }}
        {{- with .mounts }}
        {{- . | trim | nindent 8 }}
        {{- end }}
  volumes:
    {{- include "writ.volumes" . | trim | nindent 4 }}
    {{- with .volumes }}
    {{- . | trim | nindent 4 }}
    {{- end }}
{{- end -}}
