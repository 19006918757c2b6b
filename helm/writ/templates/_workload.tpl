{{/* What Deployments and StatefulSets share. */}}

{{/* The number of replicas, left out where an autoscaler owns it. Takes a dict of root and component. */}}
{{- define "writ.replicas" -}}
{{- $values := index .root.Values .component -}}
{{- if not (or $values.autoscaling.enabled $values.keda.enabled) -}}
replicas: {{ $values.replicas }}
{{- end -}}
{{- end -}}

{{/* A Deployment. Same parameters as `writ.podTemplate`. */}}
{{- define "writ.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "writ.componentName" . | quote }}
  {{- include "writ.metadata" . | nindent 2 }}
spec:
  {{- include "writ.replicas" . | nindent 2 }}
  revisionHistoryLimit: 5
  # A new pod that waits at its gate makes no progress, and that is as it should be.
  progressDeadlineSeconds: {{ .root.Values.updateOrder.deadlineSeconds }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: {{ (index .root.Values .component).maxSurge }}
      # No replica goes before its successor is ready.
      maxUnavailable: 0
  selector:
    matchLabels:
      {{- include "writ.selectorLabels" . | nindent 6 }}
  template:
    {{- include "writ.podTemplate" . | nindent 4 }}
{{- end -}}
