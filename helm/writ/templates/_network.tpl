{{/* Rules of NetworkPolicies, one a flow. */}}

{{/* A policy that lets in and out what it names and nothing else. Takes a dict of root, component, and as YAML texts ingress and egress. */}}
{{- define "writ.networkPolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "writ.componentName" . | quote }}
  {{- if .hook }}
  {{- include "writ.hookMetadata" . | nindent 2 }}
  {{- else }}
  {{- include "writ.metadata" . | nindent 2 }}
  {{- end }}
spec:
  podSelector:
    matchLabels:
      {{- include "writ.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  {{- with .ingress | trim }}
  ingress:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with .egress | trim }}
  egress:
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Peers: the pods of these components. Takes a dict of root and components. */}}
{{- define "writ.peers" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/name: writ
      app.kubernetes.io/instance: {{ .root.Release.Name }}
    matchExpressions:
      - {key: app.kubernetes.io/component, operator: In, values: [{{ join ", " .components }}]}
{{- end -}}

{{- define "writ.egressDns" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns.to | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.dns.ports }}
    - {port: {{ . }}, protocol: UDP}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
{{- end -}}

{{- define "writ.egressPostgres" -}}
- ports:
    - {port: {{ include "writ.postgresPort" . }}, protocol: TCP}
  {{- if .Values.postgres.bundled.enabled }}
  to:
    {{- include "writ.peers" (dict "root" . "components" (list "postgres")) | trim | nindent 4 }}
  {{- else if .Values.networkPolicy.postgres.to }}
  to:
    {{- toYaml .Values.networkPolicy.postgres.to | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "writ.egressNats" -}}
- ports:
    {{- range include "writ.natsPorts" . | fromJsonArray }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
  {{- if .Values.nats.bundled.enabled }}
  to:
    {{- include "writ.peers" (dict "root" . "components" (list "nats")) | trim | nindent 4 }}
  {{- else if .Values.networkPolicy.nats.to }}
  to:
    {{- toYaml .Values.networkPolicy.nats.to | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* The API server has no pod that a policy could choose: it is named by addresses, or by its ports alone. */}}
{{- define "writ.egressApiServer" -}}
- ports:
    {{- range .Values.networkPolicy.apiServer.ports }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
  {{- if .Values.networkPolicy.apiServer.cidrs }}
  to:
    {{- range .Values.networkPolicy.apiServer.cidrs }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
  {{- end }}
{{- end -}}

{{/* The world without addresses that aren't public. Takes a dict of root and ports. */}}
{{- define "writ.egressWorld" -}}
{{- $ports := .ports -}}
{{- with .root.Values.networkPolicy.world }}
{{- if .enabled }}
- to:
    {{- range .cidrs }}
    - ipBlock:
        cidr: {{ .cidr | quote }}
        {{- with .except }}
        except:
          {{- toYaml . | nindent 10 }}
        {{- end }}
    {{- end }}
  ports:
    {{- range $ports }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The port of a URL of HTTP, which may leave it out. */}}
{{- define "writ.urlPort" -}}
{{- $url := urlParse . -}}
{{- default (ternary "443" "80" (eq $url.scheme "https")) (regexFind ":[0-9]+$" $url.host | trimPrefix ":") -}}
{{- end -}}

{{/* The ports that the witnesses of ledgers listen on, as JSON; empty without witnesses. */}}
{{- define "writ.witnessPorts" -}}
{{- $ports := list -}}
{{- range .Values.ledger.witnesses -}}
{{- $ports = append $ports (include "writ.urlPort" .url | int) -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end -}}

{{- define "writ.egressOtlp" -}}
{{- with .Values.otlpEndpoint }}
- ports:
    - {port: {{ include "writ.urlPort" . }}, protocol: TCP}
  {{- with $.Values.networkPolicy.otlp.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Ops ports: Prometheus and the gates of the components come in, a gate goes out. Takes a dict of root and component. */}}
{{- define "writ.ingressOps" -}}
- from:
    {{- with .root.Values.networkPolicy.monitoring.from }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- include "writ.peers" (dict "root" .root "components" (include "writ.components" . | fromJsonArray)) | trim | nindent 4 }}
  ports:
    - {port: {{ .root.Values.ops.port }}, protocol: TCP}
{{- end -}}

{{- define "writ.egressOps" -}}
- to:
    {{- include "writ.peers" (dict "root" . "components" (include "writ.components" . | fromJsonArray)) | trim | nindent 4 }}
  ports:
    - {port: {{ .Values.ops.port }}, protocol: TCP}
{{- end -}}
