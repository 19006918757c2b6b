{{/*
Variables and validations of an admission policy. They are made from the driver's code; what the values of the release
say is written into them here. Takes a dict of root and file.
*/}}
{{- define "writ.admissionRules" -}}
{{- $root := .root -}}
{{- $policy := $root.Values.sandbox.admissionPolicy -}}
{{- $values := dict
  "__ACCOUNT__" (include "writ.executorAccount" $root | toJson)
  "__MAKER__" (printf "system:serviceaccount:%s:%s" $root.Values.sandbox.agentSandbox.controller.namespace $root.Values.sandbox.agentSandbox.controller.serviceAccountName | toJson)
  "__RELEASE__" (include "writ.fullname" $root | toJson)
  "__IMAGES__" (concat (list (include "writ.sandboxImage" $root)) $policy.images (include "writ.runningSandboxImages" $root | fromJsonArray) | uniq | toJson)
  "__RUNTIME_CLASS__" (default "" $root.Values.sandbox.runtimeClassName | toJson)
  "__HOST_USERS__" (ternary "" (toString $root.Values.sandbox.hostUsers) (kindIs "invalid" $root.Values.sandbox.hostUsers) | toJson)
  "__ADDED_LABELS__" (toJson $policy.added.labels)
  "__ADDED_ANNOTATIONS__" (toJson $policy.added.annotations)
  "__ADDED_NODE_SELECTOR__" (toJson $policy.added.nodeSelector)
  "__ADDED_TOLERATIONS__" (include "writ.celTolerations" $policy.added.tolerations)
  "__PRIORITY_CLASS__" (default "" $policy.added.priorityClassName | toJson)
-}}
{{- $text := $root.Files.Get .file -}}
{{- range $name, $value := $values -}}
{{- $text = replace (printf "%q" $name) ($value | quote) $text -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* In the form of user names. */}}
{{- define "writ.executorAccount" -}}
{{- printf "system:serviceaccount:%s:%s" .Release.Namespace (include "writ.serviceAccountName" (dict "root" . "component" "executor")) -}}
{{- end -}}

{{/* The members of a literal of CEL are of one type: those of a toleration aren't, so each is `dyn`. */}}
{{- define "writ.celTolerations" -}}
{{- $all := list -}}
{{- range . -}}
{{- $one := list -}}
{{- range $name, $value := . -}}
{{- $one = append $one (printf "%s: dyn(%s)" (toJson $name) (toJson $value)) -}}
{{- end -}}
{{- $all = append $all (printf "{%s}" (join ", " $one)) -}}
{{- end -}}
{{- printf "[%s]" (join ", " $all) -}}
{{- end -}}

{{/*
The image of executors that run while the release changes: they make pods of it until they are replaced. Rendered without
a cluster there is nothing to look up, and commands wait for the new executors.
*/}}
{{- define "writ.runningSandboxImages" -}}
{{- $found := list -}}
{{- $deployment := lookup "apps/v1" "Deployment" .Release.Namespace (include "writ.componentName" (dict "root" . "component" "executor")) -}}
{{- range dig "spec" "template" "spec" "containers" (list) $deployment -}}
{{- range default (list) .env -}}
{{- if and (eq .name "WRIT_SANDBOX_IMAGE") .value -}}{{- $found = append $found .value -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}
