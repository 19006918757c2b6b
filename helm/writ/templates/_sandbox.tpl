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
  configMap: {name: {{ . | quote }}}
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

{{/* The image of a pool of agent-sandbox, as the driver names one by its digest. Takes a dict of root and pool. */}}
{{- define "writ.warmPoolImage" -}}
{{- $image := .root.Values.sandbox.image -}}
{{- with .pool.digest -}}
{{- $image = dict "registry" $image.registry "repository" $image.repository "digest" . -}}
{{- end -}}
{{- include "writ.reference" (dict "root" .root "image" $image) -}}
{{- end -}}

{{/* The name of a pool of agent-sandbox, by which an executor finds it. Takes a dict of root and pool. */}}
{{- define "writ.warmPoolName" -}}
{{- $id := default (include "writ.sandboxImageId" .root) .pool.digest | trimPrefix "sha256:" | trunc 12 -}}
{{- printf "%s-%s-%d" (include "writ.warmPools" .root) $id (int64 .pool.memoryBytes) -}}
{{- end -}}

{{/* The label that the driver puts on every sandbox of the release. */}}
{{- define "writ.sandboxLabels" -}}
writ: {{ include "writ.fullname" . }}
{{- end -}}
