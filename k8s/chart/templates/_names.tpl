{{- define "turnpike.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{/* The label that all pods of this release share, and no pod of another. */}}
{{- define "turnpike.partOf" -}}
app.kubernetes.io/part-of: {{ include "turnpike.name" . }}
{{- end }}

{{/* Of objects, not of selectors: they change with the version. */}}
{{- define "turnpike.labels" -}}
{{ include "turnpike.partOf" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "turnpike.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "turnpike.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "turnpike.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Pods of the three apps, as the selector of a network policy. */}}
{{- define "turnpike.apps" -}}
{{- $name := include "turnpike.name" . -}}
matchExpressions:
  - key: app.kubernetes.io/name
    operator: In
    values: [{{ $name }}-ingress, {{ $name }}-runner, {{ $name }}-dispatcher]
{{- end }}
