{{/* Probes on the ops port, and how a pod ends. */}}

{{/*
A process lives and is not ready while it waits for NATS and Postgres, so the startup probe only has to cover the start of Node.js.
The readiness checks of a process take 1.5 s at most, so the kubelet waits a little longer.
*/}}
{{- define "writ.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: ops}
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 60
readinessProbe:
  httpGet: {path: /readyz, port: ops}
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
livenessProbe:
  httpGet: {path: /healthz, port: ops}
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 6
{{- end -}}

{{/*
Seconds that a pod gets to end: the pause before SIGTERM, what the process takes at most, and five to spare. A process
takes `stopMs`, or its drain and `closeMs` where that is longer: 9 s and 4 s in libs/nest-kit/src/boot-process.ts.
tools/src/chart/pods.chart.spec.ts compares them.
Takes a dict of root and component.
*/}}
{{- define "writ.gracePeriodSeconds" -}}
{{- $values := index .root.Values .component -}}
{{- $own := 9 -}}
{{- if eq .component "executor" -}}
{{- $own = max 9 (add 4 (ceil (divf (float64 $values.drainMs) 1000.0) | int)) -}}
{{- end -}}
{{- add $own (int (default 0 $values.preStopSeconds)) 5 -}}
{{- end -}}

{{/* During the pause, Services and gateways remove the pod before it refuses new requests. */}}
{{- define "writ.lifecycle" -}}
{{- with int (default 0 (index .root.Values .component).preStopSeconds) }}
lifecycle:
  preStop:
    sleep:
      seconds: {{ . }}
{{- end }}
{{- end -}}
