{{/* Names of objects. */}}

{{/* The prefix of every object's name, at most 40 characters: what is added to it must fit 63. */}}
{{- define "writ.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains "writ" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-writ" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The components in their order of update: servers before their clients. */}}
{{- define "writ.components" -}}
["ledger", "kernel", "executor", "orchestrator"]
{{- end -}}

{{/* The name of a component's objects. Takes a dict of root and component. */}}
{{- define "writ.componentName" -}}
{{- printf "%s-%s" (include "writ.fullname" .root) .component -}}
{{- end -}}

{{/* The headless Service that names every pod of a component, ready or not. Takes a dict of root and component. */}}
{{- define "writ.opsServiceName" -}}
{{- printf "%s-%s-ops" (include "writ.fullname" .root) .component -}}
{{- end -}}

{{- define "writ.serviceAccountName" -}}
{{- $sa := (index .root.Values .component).serviceAccount -}}
{{- if $sa.create -}}
{{- default (include "writ.componentName" .) $sa.name -}}
{{- else -}}
{{- $sa.name -}}
{{- end -}}
{{- end -}}

{{- define "writ.sandboxNamespace" -}}
{{- default (printf "%s-sandboxes" .Release.Namespace) .Values.sandbox.namespace.name -}}
{{- end -}}

{{/* "true" where commands run in pods of this cluster. */}}
{{- define "writ.sandboxIsKubernetes" -}}
{{- if eq .Values.sandbox.driver "kubernetes" -}}true{{- end -}}
{{- end -}}

{{/* "true" where the pods of sandboxes are claimed from agent-sandbox. */}}
{{- define "writ.sandboxIsClaimed" -}}
{{- if and (include "writ.sandboxIsKubernetes" .) .Values.sandbox.agentSandbox.enabled -}}true{{- end -}}
{{- end -}}

{{/* What the names of SandboxWarmPools begin with. The controller adds to them what must fit a label as well. */}}
{{- define "writ.warmPools" -}}
{{- include "writ.fullname" . | trunc 30 | trimSuffix "-" -}}
{{- end -}}

{{/* "true" where sandboxes share the namespace of the release. */}}
{{- define "writ.sandboxShares" -}}
{{- if eq (include "writ.sandboxNamespace" .) .Release.Namespace -}}true{{- end -}}
{{- end -}}
