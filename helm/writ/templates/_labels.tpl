{{/* Labels and annotations. */}}

{{/* Labels by which Services and policies choose pods: they never change. Takes a dict of root and component. */}}
{{- define "writ.selectorLabels" -}}
app.kubernetes.io/name: writ
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/*
Several maps as one, so that no name stands in it twice. Takes a list: a YAML text with what the chart sets itself, which wins, then maps of the values, the earlier over
the later.
*/}}
{{- define "writ.oneMap" -}}
{{- $all := default "{}" (first .) | fromYaml -}}
{{- range rest . -}}
{{- range $name, $text := . -}}
{{- if not (hasKey $all $name) -}}{{- $_ := set $all $name $text -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- with $all -}}{{ toYaml . }}{{- end -}}
{{- end -}}

{{/* Labels of every object. Takes a dict of root and component, and optionally labels. */}}
{{- define "writ.labels" -}}
{{- include "writ.oneMap" (list (include "writ.ownLabels" .) .labels .root.Values.commonLabels) -}}
{{- end -}}

{{- define "writ.ownLabels" -}}
{{ include "writ.selectorLabels" . }}
app.kubernetes.io/part-of: writ
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | quote }}
{{- end -}}

{{/*
Labels of pods that a new version of the chart must not replace: those of the bundled Postgres and NATS, whose images don't follow the version. Takes a dict of
root and component.
*/}}
{{- define "writ.lastingPodLabels" -}}
{{- $own := omit (include "writ.ownLabels" . | fromYaml) "app.kubernetes.io/version" "helm.sh/chart" -}}
{{- include "writ.oneMap" (list (toYaml $own) .root.Values.commonLabels) -}}
{{- end -}}

{{/* The metadata of an object, without its name. Takes a dict of root and component, and optionally annotations. */}}
{{- define "writ.metadata" -}}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "writ.labels" . | nindent 2 }}
{{- with include "writ.oneMap" (list "" .annotations .root.Values.commonAnnotations) }}
annotations:
  {{- . | nindent 2 }}
{{- end }}
{{- end -}}
