{{/* Volumes and mounts that components share. */}}

{{/* The CAs of Postgres and NATS as one folder, /etc/writ/tls. Empty where none is set. */}}
{{- define "writ.tlsSources" -}}
{{- $own := include "writ.caConfigMap" . -}}
{{- if .Values.postgres.bundled.enabled }}
- configMap: {name: {{ $own | quote }}, items: [{key: ca.crt, path: postgres-ca.crt}]}
{{- else if .Values.postgres.external.ca.configMap }}
- configMap: {name: {{ .Values.postgres.external.ca.configMap | quote }}, items: [{key: {{ .Values.postgres.external.ca.key | quote }}, path: postgres-ca.crt}]}
{{- end }}
{{- if .Values.nats.bundled.enabled }}
- configMap: {name: {{ $own | quote }}, items: [{key: ca.crt, path: nats-ca.crt}]}
{{- else if .Values.nats.external.ca.configMap }}
- configMap: {name: {{ .Values.nats.external.ca.configMap | quote }}, items: [{key: {{ .Values.nats.external.ca.key | quote }}, path: nats-ca.crt}]}
{{- end }}
{{- end -}}

{{/* Volumes of a component: its keys, the public keys, CAs, /tmp. Takes a dict of root and component. */}}
{{- define "writ.volumes" -}}
{{- $values := index .root.Values .component -}}
- name: keys
  secret:
    secretName: {{ include "writ.keySecret" (dict "root" .root "of" .component) | quote }}
    # Readable by root and the pod's group: what processes accept for private keys.
    defaultMode: 0440
- name: public-keys
  configMap:
    name: {{ include "writ.publicKeysConfigMap" .root | quote }}
- name: tmp
  emptyDir:
    sizeLimit: {{ $values.tmpSize | quote }}
{{- with include "writ.tlsSources" .root | trim }}
- name: tls
  projected:
    sources:
      {{- . | nindent 6 }}
{{- end }}
{{- if .root.Values.extraCa.configMap }}
- name: extra-ca
  configMap:
    name: {{ .root.Values.extraCa.configMap | quote }}
{{- end }}
{{- with concat .root.Values.extraVolumes $values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "writ.volumeMounts" -}}
{{- $values := index .root.Values .component -}}
- {name: keys, mountPath: /etc/writ/keys, readOnly: true}
- {name: public-keys, mountPath: /etc/writ/public, readOnly: true}
- {name: tmp, mountPath: /tmp}
{{- if include "writ.tlsSources" .root | trim }}
- {name: tls, mountPath: /etc/writ/tls, readOnly: true}
{{- end }}
{{- if .root.Values.extraCa.configMap }}
- {name: extra-ca, mountPath: /etc/writ/extra-ca, readOnly: true}
{{- end }}
{{- with concat .root.Values.extraVolumeMounts $values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}
