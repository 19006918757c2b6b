{{/* Jobs that run around an installation. */}}

{{/* Annotations of a hook. Parameters, as a dict: on (events) and weight. A succeeded Job is deleted; a failed one stays for inspection. */}}
{{- define "writ.hook" -}}
helm.sh/hook: {{ .on }}
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: {{ default "before-hook-creation,hook-succeeded" .delete }}
{{- end -}}

{{/* The metadata of a hook's object. Takes a dict of root, component, on, weight. */}}
{{- define "writ.hookMetadata" -}}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "writ.labels" . | nindent 2 }}
annotations:
  {{- include "writ.oneMap" (list (include "writ.hook" .) .root.Values.commonAnnotations) | nindent 2 }}
{{- end -}}

{{/* The environment of a Job. Same parameters as `writ.jobPod`. */}}
{{- define "writ.jobEnv" -}}
{{- with .env }}
{{ . | trim }}
{{- end }}
{{- include "writ.nodeEnv" .root }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
The pod template of a Job. Takes a dict of root, component, args (list), token, account (of its component unless given), and as YAML texts env, volumes and mounts.
Where pods are placed and what they may use comes from the values of `jobs`.
*/}}
{{- define "writ.jobPod" -}}
{{- $values := .root.Values.jobs -}}
metadata:
  labels:
    {{- include "writ.labels" . | nindent 4 }}
  {{- with .root.Values.commonAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  restartPolicy: Never
  serviceAccountName: {{ default (include "writ.componentName" .) .account | quote }}
  automountServiceAccountToken: {{ ternary true false (eq (default "" .token) "true") }}
  enableServiceLinks: false
  {{- include "writ.imagePullSecrets" .root | nindent 2 }}
  securityContext:
    {{- include "writ.podSecurityContext" .root.Values.securityContext | nindent 4 }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .component | quote }}
      image: {{ include "writ.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args:
        {{- toYaml .args | nindent 8 }}
      {{- with include "writ.jobEnv" . | trim }}
      env:
        {{- . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- include "writ.containerSecurityContext" . | nindent 8 }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        {{- if .root.Values.extraCa.configMap }}
        - {name: extra-ca, mountPath: /etc/writ/extra-ca, readOnly: true}
        {{- end }}
        {{- with .mounts }}
        {{- . | trim | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {sizeLimit: 64Mi}
    {{- if .root.Values.extraCa.configMap }}
    - name: extra-ca
      configMap: {name: {{ .root.Values.extraCa.configMap | quote }}}
    {{- end }}
    {{- with .volumes }}
    {{- . | trim | nindent 4 }}
    {{- end }}
{{- end -}}
