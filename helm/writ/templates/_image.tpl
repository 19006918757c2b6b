{{/* References of images. */}}

{{/*
A reference by digest where one is set, else by tag. Takes a dict of root and image.
`imageRegistry` takes the place of every image's own registry, for clusters that pull from a mirror.
*/}}
{{- define "writ.reference" -}}
{{- $registry := default .image.registry .root.Values.imageRegistry -}}
{{- $tag := default .root.Chart.AppVersion .image.tag -}}
{{- with $registry }}{{ . }}/{{ end -}}
{{- .image.repository -}}
{{- if .image.digest -}}@{{ .image.digest }}{{- else -}}:{{ $tag }}{{- end -}}
{{- end -}}

{{- define "writ.image" -}}
{{- include "writ.reference" (dict "root" . "image" .Values.image) -}}
{{- end -}}

{{- define "writ.sandboxImage" -}}
{{- include "writ.reference" (dict "root" . "image" .Values.sandbox.image) -}}
{{- end -}}

{{- define "writ.imagePullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
