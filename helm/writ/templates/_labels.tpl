{{/* Labels and annotations. */}}

{{/* Labels by which Services and policies choose pods: they never change. Takes a dict of root and component. */}}
{{- define "writ.selectorLabels" -}}
app.kubernetes.io/name: writ
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of every object. Takes a dict of root and component. */}}
{{- define "writ.labels" -}}
{{ include "writ.selectorLabels" . }}
app.kubernetes.io/part-of: writ
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | quote }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
Labels of pods that a new version of the chart must not replace: those of the bundled Postgres and NATS, whose images don't follow the version. Takes a dict of
root and component.
*/}}
{{- define "writ.lastingPodLabels" -}}
{{ include "writ.selectorLabels" . }}
app.kubernetes.io/part-of: writ
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The metadata of an object, without its name. Takes a dict of root and component, and optionally annotations. */}}
{{- define "writ.metadata" -}}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "writ.labels" . | nindent 2 }}
{{- with merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
