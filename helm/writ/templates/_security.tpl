{{/* Security contexts: every pod of ours passes PodSecurity `restricted`. */}}

{{/* Parameters, as a dict: the three ids. With null the cluster chooses one, as OpenShift requires. */}}
{{- define "writ.podSecurityContext" -}}
runAsNonRoot: true
{{- if not (kindIs "invalid" .runAsUser) }}
runAsUser: {{ int64 .runAsUser }}
{{- end }}
{{- if not (kindIs "invalid" .runAsGroup) }}
runAsGroup: {{ int64 .runAsGroup }}
{{- end }}
{{- if not (kindIs "invalid" .fsGroup) }}
fsGroup: {{ int64 .fsGroup }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "writ.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}
