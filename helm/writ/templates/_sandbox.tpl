{{/* What kernel and executor both know of sandboxes: the image's id, and the file of other images. */}}

{{- define "writ.sandboxImagesEnv" -}}
- {name: WRIT_SANDBOX_IMAGE_DIGEST, value: {{ include "writ.sandboxImageId" . | quote }}}
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

{{/* What permits are bound to: the digest that nodes pull by, or the id of an image that is loaded into them. */}}
{{- define "writ.sandboxImageId" -}}
{{- default .Values.sandbox.image.id .Values.sandbox.image.digest -}}
{{- end -}}

{{/* The label that the driver puts on every sandbox of the release. */}}
{{- define "writ.sandboxLabels" -}}
writ: {{ include "writ.fullname" . }}
{{- end -}}
