{{/* What kernel and executor both know of sandboxes: the image's id, and the file of other images. */}}

{{- define "writ.sandboxImagesEnv" -}}
- {name: WRIT_SANDBOX_IMAGE_DIGEST, value: {{ .Values.sandbox.image.id | quote }}}
{{- if .Values.sandbox.otherImages.configMap }}
- {name: WRIT_SANDBOX_IMAGES_FILE, value: /etc/writ/images/{{ .Values.sandbox.otherImages.key }}}
{{- end }}
{{- end -}}

{{- define "writ.sandboxImagesVolume" -}}
{{- with .Values.sandbox.otherImages.configMap }}
- name: images
  configMap: {name: {{ . }}}
{{- end }}
{{- end -}}

{{- define "writ.sandboxImagesMount" -}}
{{- if .Values.sandbox.otherImages.configMap }}
- {name: images, mountPath: /etc/writ/images, readOnly: true}
{{- end }}
{{- end -}}

{{/* Labels that every sandbox pod bears; the driver sets them. */}}
{{- define "writ.sandboxLabels" -}}
app.kubernetes.io/name: writ
app.kubernetes.io/component: sandboxes
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
